#include "server/config/host_port.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace hydra::config {

absl::StatusOr<HostPort> ParseHostPort(absl::string_view text) {
  const absl::Status error = absl::InvalidArgumentError(
      absl::StrCat("got \"", text, "\", want HOST:PORT with a port from 0 to 65535"));
  const size_t colon = text.rfind(':');
  if (colon == absl::string_view::npos) return error;
  absl::string_view host = text.substr(0, colon);
  const absl::string_view digits = text.substr(colon + 1);
  uint32_t port = 0;
  if (digits.find_first_not_of("0123456789") != absl::string_view::npos ||
      !absl::SimpleAtoi(digits, &port) || port > UINT16_MAX) {
    return error;
  }
  const bool bracketed = absl::StartsWith(host, "[") && absl::EndsWith(host, "]");
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (host.empty() || host.find_first_of(" /[]") != absl::string_view::npos) return error;
  if (!bracketed && host.find(':') != absl::string_view::npos) return error;
  return HostPort{.host = std::string(host), .port = static_cast<uint16_t>(port)};
}

}  // namespace hydra::config
