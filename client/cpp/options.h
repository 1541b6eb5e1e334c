// How a client reaches a server.
#pragma once

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "client/cpp/retry.h"

namespace hydra::client {

// PEM texts, not paths.  An empty `root_certificates` means the system's; key and chain are set
// together, for mutual TLS.
struct TlsOptions {
  std::string root_certificates;
  std::string private_key;
  std::string certificate_chain;
};

struct Options {
  // A gRPC target: "host:port", "dns:///name:port" (every address is used, round-robin) or
  // "unix:path".
  std::string endpoint = "localhost:8001";
  std::optional<TlsOptions> tls;               // unset: plain text
  std::string bearer_token;                    // sent with every call unless empty; needs TLS, or a
                                               // loopback or unix endpoint
  absl::Duration timeout = absl::Seconds(10);  // of a call, its retries included; (0, 1 h]
  RetryOptions retry;
};

// What one call may override.
struct CallOptions {
  std::optional<absl::Duration> timeout;  // (0, 1 h]; unset means Options::timeout
};

// Errors: INVALID_ARGUMENT names the option and what was wanted.
absl::Status Validate(const Options& options);
absl::Status ValidateTimeout(absl::Duration timeout);

}  // namespace hydra::client
