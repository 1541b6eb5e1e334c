#include "client/cli/session.h"

#include <utility>

#include "client/terminal/error_text.h"
#include "client/terminal/json.h"
#include "client/terminal/table.h"
#include "model/base/status_detail.h"

namespace hydra::cli {
namespace {

nlohmann::ordered_json ErrorJson(const absl::Status& status) {
  nlohmann::ordered_json error = {{"code", absl::StatusCodeToString(status.code())},
                                  {"reason", base::ReasonOf(status)},
                                  {"message", std::string(status.message())},
                                  {"metadata", base::MetadataOf(status)}};
  error["violations"] = nlohmann::ordered_json::array();
  for (const base::FieldViolation& violation : base::FieldViolationsOf(status)) {
    error["violations"].push_back(
        {{"field", violation.path}, {"description", violation.description}});
  }
  if (const auto delay = base::RetryDelayOf(status); delay.has_value()) {
    error["retry_delay_ms"] = absl::ToInt64Milliseconds(*delay);
  }
  return {{"error", error}};
}

}  // namespace

Session::Session(client::Client client, Format format, std::ostream& out, std::ostream& err)
    : client_(std::move(client)), format_(format), out_(out), err_(err) {}

ExitCode Session::Refused(const absl::Status& status) {
  if (format_ == Format::kJson) {
    err_ << terminal::JsonLine(ErrorJson(status));
  } else {
    err_ << "hydra: " << terminal::ErrorText(status);
  }
  return terminal::ExitCodeOf(status);
}

ExitCode Session::Misused(const absl::Status& status) {
  err_ << "hydra: " << terminal::Printable(std::string(status.message())) << "\n";
  return ExitCode::kUsage;
}

}  // namespace hydra::cli
