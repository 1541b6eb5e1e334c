#include "server/rpc/wire/request_check.h"

#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_detail.h"

namespace hydra::rpc {

absl::Status WrongField(absl::string_view path, absl::string_view reason,
                        absl::string_view problem) {
  return base::WithFieldViolations(
      base::WithReason(absl::InvalidArgumentError(absl::StrCat(path, ": ", problem)), reason),
      {{std::string(path), std::string(problem)}});
}

absl::Status CheckRequestId(absl::string_view id, absl::string_view path) {
  const bool printable = std::all_of(id.begin(), id.end(), [](char c) {
    return absl::ascii_isprint(static_cast<unsigned char>(c));
  });
  if (printable && id.size() <= kMaxRequestIdBytes) return absl::OkStatus();
  return WrongField(
      path, "BAD_REQUEST_ID",
      absl::StrCat("got ", id.size(), printable ? "" : " partly unprintable",
                   " bytes, want at most ", kMaxRequestIdBytes, " of printable ASCII"));
}

}  // namespace hydra::rpc
