// The flags by which every client program finds its server.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "client/cpp/options.h"

namespace CLI {
class App;
}

namespace hydra::terminal {

struct ConnectionFlags {
  std::string endpoint = "localhost:8001";
  std::string timeout = "10s";
  std::string token_file;
  bool tls = false;
  std::string ca_file;
  std::string cert_file;
  std::string key_file;
};

// `flags` must outlive `app`.
void AddConnectionFlags(CLI::App& app, ConnectionFlags& flags);

// Reads the files that the flags name.  Errors: INVALID_ARGUMENT a flag; NOT_FOUND a file.
absl::StatusOr<client::Options> MakeOptions(const ConnectionFlags& flags);

// "250ms", "10s", "1m30s".  Errors: INVALID_ARGUMENT with `flag` when it is not a positive
// duration.
absl::StatusOr<absl::Duration> ParsePositiveDuration(const std::string& flag,
                                                     const std::string& text);

}  // namespace hydra::terminal
