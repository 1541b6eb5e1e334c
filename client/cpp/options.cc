#include "client/cpp/options.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "model/base/status_macros.h"

namespace hydra::client {
namespace {

bool StaysOnThisHost(absl::string_view endpoint) {
  if (absl::StartsWith(endpoint, "unix:") || absl::StartsWith(endpoint, "unix-abstract:")) {
    return true;
  }
  for (const absl::string_view scheme : {"dns:///", "dns:", "ipv4:", "ipv6:"}) {
    if (absl::ConsumePrefix(&endpoint, scheme)) break;
  }
  for (const absl::string_view host : {"localhost:", "127.0.0.1:", "[::1]:"}) {
    if (absl::StartsWith(endpoint, host) && !absl::StrContains(endpoint, ',')) return true;
  }
  return false;
}

}  // namespace

absl::Status ValidateTimeout(absl::Duration timeout) {
  if (timeout > absl::ZeroDuration() && timeout <= absl::Hours(1)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("timeout: got ", absl::FormatDuration(timeout),
                                                 ", want more than 0, at most 1h"));
}

absl::Status Validate(const Options& options) {
  if (options.endpoint.empty()) {
    return absl::InvalidArgumentError("endpoint: got nothing, want a target such as \"host:8001\"");
  }
  HYDRA_RETURN_IF_ERROR(ValidateTimeout(options.timeout));
  if (options.tls.has_value() &&
      options.tls->private_key.empty() != options.tls->certificate_chain.empty()) {
    return absl::InvalidArgumentError(
        "tls: private_key and certificate_chain must be given together");
  }
  if (!options.bearer_token.empty() && !options.tls.has_value() &&
      !StaysOnThisHost(options.endpoint)) {
    return absl::InvalidArgumentError(
        absl::StrCat("bearer_token: ", options.endpoint,
                     " is another host and the channel is plain text; set tls"));
  }
  return Validate(options.retry);
}

}  // namespace hydra::client
