#include "client/terminal/error_text.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "client/terminal/table.h"
#include "model/base/status_detail.h"

namespace hydra::terminal {

ExitCode ExitCodeOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return ExitCode::kOk;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kResourceExhausted:
      return ExitCode::kUnreachable;
    default:
      return ExitCode::kRefused;
  }
}

std::string ErrorText(const absl::Status& status) {
  const std::string reason = base::ReasonOf(status);
  const bool reached = ExitCodeOf(status) != ExitCode::kUnreachable;
  std::string text = absl::StrCat(
      reached ? "refused" : "not answered", " (", absl::StatusCodeToString(status.code()),
      reason.empty() ? "" : ", ", Printable(reason), "): ", Printable(status.message()), "\n");
  for (const base::FieldViolation& violation : base::FieldViolationsOf(status)) {
    absl::StrAppend(&text, "  ", Printable(violation.path), ": ", Printable(violation.description),
                    "\n");
  }
  for (const auto& [key, value] : base::MetadataOf(status)) {
    absl::StrAppend(&text, "  ", Printable(key), " = ", Printable(value), "\n");
  }
  if (const std::optional<absl::Duration> delay = base::RetryDelayOf(status); delay.has_value()) {
    absl::StrAppend(&text, "  retry after ", absl::FormatDuration(*delay), "\n");
  }
  return text;
}

}  // namespace hydra::terminal
