#include "client/terminal/connection_flags.h"

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "model/base/file.h"
#include "model/base/status_macros.h"

namespace hydra::terminal {
namespace {

constexpr size_t kMaxFileBytes = size_t{1} << 20;

absl::StatusOr<std::string> ReadNamed(const std::string& path) {
  if (path.empty()) return std::string();
  return base::ReadFile(path, kMaxFileBytes);
}

}  // namespace

void AddConnectionFlags(CLI::App& app, ConnectionFlags& flags) {
  app.add_option("-e,--endpoint", flags.endpoint,
                 "Server: host:port, dns:///name:port or unix:path")
      ->capture_default_str();
  app.add_option("--timeout", flags.timeout, "Of each call, its retries included: 250ms, 10s, 1m")
      ->capture_default_str();
  app.add_option("--token-file", flags.token_file, "File with the bearer token to send");
  app.add_flag("--tls", flags.tls, "Encrypt; the system's certificates are trusted");
  app.add_option("--ca", flags.ca_file,
                 "PEM file of the certificates to trust instead (sets --tls)");
  app.add_option("--cert", flags.cert_file,
                 "PEM file of the client's certificate chain (sets --tls)");
  app.add_option("--key", flags.key_file, "PEM file of the client's private key (sets --tls)");
}

absl::StatusOr<client::Options> MakeOptions(const ConnectionFlags& flags) {
  client::Options options{.endpoint = flags.endpoint};
  HYDRA_ASSIGN_OR_RETURN(options.timeout, ParsePositiveDuration("--timeout", flags.timeout));
  HYDRA_ASSIGN_OR_RETURN(const std::string token, ReadNamed(flags.token_file));
  options.bearer_token = std::string(absl::StripAsciiWhitespace(token));
  if (flags.tls || !(flags.ca_file + flags.cert_file + flags.key_file).empty()) {
    client::TlsOptions tls;
    HYDRA_ASSIGN_OR_RETURN(tls.root_certificates, ReadNamed(flags.ca_file));
    HYDRA_ASSIGN_OR_RETURN(tls.certificate_chain, ReadNamed(flags.cert_file));
    HYDRA_ASSIGN_OR_RETURN(tls.private_key, ReadNamed(flags.key_file));
    options.tls = tls;
  }
  HYDRA_RETURN_IF_ERROR(client::Validate(options));
  return options;
}

absl::StatusOr<absl::Duration> ParsePositiveDuration(const std::string& flag,
                                                     const std::string& text) {
  absl::Duration duration;
  if (!absl::ParseDuration(text, &duration) || duration <= absl::ZeroDuration()) {
    return absl::InvalidArgumentError(
        absl::StrCat(flag, ": got \"", text, "\", want a duration such as 250ms, 10s or 1m30s"));
  }
  return duration;
}

}  // namespace hydra::terminal
