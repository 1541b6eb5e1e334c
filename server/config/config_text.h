// The configuration as YAML, in and out.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/config/server_config.h"

namespace hydra::config {

// Reads strictly (model/yaml/yaml_section.h); a key that is absent keeps its default.  Does not
// Validate, since flags may still change values.  Errors: INVALID_ARGUMENT.
absl::StatusOr<ServerConfig> ParseConfig(absl::string_view text, const std::string& source);

// Every key, in YAML that ParseConfig reads back as an equal configuration.
std::string PrintConfig(const ServerConfig& config);

// What the command line sets; flags win over the file.
struct Flags {
  std::optional<std::string> config_file;
  std::optional<std::string> bundle;
  std::optional<std::string> listen;
  std::optional<std::string> admin_listen;
};

// Defaults, then the file, then the flags, then Validate.  Errors: NOT_FOUND no such file;
// INVALID_ARGUMENT as ParseConfig and Validate.
absl::StatusOr<ServerConfig> LoadConfig(const Flags& flags);

}  // namespace hydra::config
