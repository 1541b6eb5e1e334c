#include "server/config/config_text.h"

#include <charconv>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "model/base/file.h"
#include "model/base/status_macros.h"
#include "model/yaml/yaml_section.h"
#include "server/config/config_fields.h"

namespace hydra::config {
namespace {

constexpr size_t kMaxFileBytes = size_t{1} << 20;

class Reader {
 public:
  explicit Reader(yaml::YamlSection section) : section_(std::move(section)) {}

  Reader Section(absl::string_view key) { return Reader(section_.Section(key)); }

  template <typename T>
  void Value(absl::string_view key, T& target) {
    section_.Read(key, target);
  }

  void Milliseconds(absl::string_view key, absl::Duration& target) {
    double milliseconds = absl::ToDoubleMilliseconds(target);
    section_.Read(key, milliseconds);
    target = absl::Milliseconds(milliseconds);
  }

  template <typename Enum, size_t n>
  void Choice(absl::string_view key, Enum& target, const std::pair<const char*, Enum> (&names)[n]) {
    section_.ReadChoice(key, target, absl::MakeConstSpan(names));
  }

 private:
  yaml::YamlSection section_;
};

std::string Text(bool value) { return value ? "true" : "false"; }
std::string Text(size_t value) { return absl::StrCat(value); }
std::string Text(const std::vector<size_t>& values) {
  return absl::StrCat("[", absl::StrJoin(values, ", "), "]");
}

// Double-quoted YAML; bytes that are not printable ASCII, quotes and backslashes as \xNN, except
// that UTF-8 passes.
std::string Text(const std::string& value) {
  std::string quoted = "\"";
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f || c == '"' || c == '\\') {
      absl::StrAppend(&quoted, "\\x", absl::Hex(byte, absl::kZeroPad2));
    } else {
      quoted.push_back(c);
    }
  }
  return quoted + "\"";
}

// The shortest text that reads back as the same number.
std::string Text(double value) {
  char buffer[32];
  const std::to_chars_result result = std::to_chars(buffer, buffer + sizeof(buffer), value);
  return std::string(buffer, result.ptr);
}

class Printer {
 public:
  Printer(std::string& out, std::string indent) : out_(out), indent_(std::move(indent)) {}

  Printer Section(absl::string_view key) {
    absl::StrAppend(&out_, indent_, key, ":\n");
    return Printer(out_, indent_ + "  ");
  }

  template <typename T>
  void Value(absl::string_view key, const T& value) {
    absl::StrAppend(&out_, indent_, key, ": ", Text(value), "\n");
  }

  void Milliseconds(absl::string_view key, absl::Duration value) {
    Value(key, absl::ToDoubleMilliseconds(value));
  }

  template <typename Enum, size_t n>
  void Choice(absl::string_view key, Enum value, const std::pair<const char*, Enum> (&names)[n]) {
    for (const auto& [name, choice] : names) {
      if (choice == value) absl::StrAppend(&out_, indent_, key, ": ", name, "\n");
    }
  }

 private:
  std::string& out_;
  std::string indent_;
};

}  // namespace

absl::StatusOr<ServerConfig> ParseConfig(absl::string_view text, const std::string& source) {
  HYDRA_ASSIGN_OR_RETURN(yaml::YamlSection root, yaml::YamlSection::Parse(text, source));
  ServerConfig config;
  VisitConfig(Reader(root), config);
  HYDRA_RETURN_IF_ERROR(root.Finish());
  return config;
}

std::string PrintConfig(const ServerConfig& config) {
  std::string text;
  VisitConfig(Printer(text, ""), config);
  return text;
}

absl::StatusOr<ServerConfig> LoadConfig(const Flags& flags) {
  ServerConfig config;
  if (flags.config_file.has_value()) {
    HYDRA_ASSIGN_OR_RETURN(const std::string text,
                           base::ReadFile(*flags.config_file, kMaxFileBytes));
    HYDRA_ASSIGN_OR_RETURN(config, ParseConfig(text, *flags.config_file));
  }
  if (flags.bundle.has_value()) config.bundle.path = *flags.bundle;
  if (flags.listen.has_value()) config.listen = *flags.listen;
  if (flags.admin_listen.has_value()) config.admin_listen = *flags.admin_listen;
  HYDRA_RETURN_IF_ERROR(Validate(config));
  return config;
}

}  // namespace hydra::config
