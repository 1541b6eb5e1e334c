// deploy/config/server.yaml and docs/configuration.md say what the code does.
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"
#include "model/base/file.h"
#include "server/config/config_text.h"

namespace hydra::config {
namespace {

std::string Read(const std::string& name) {
  const auto text = base::ReadFile(std::string(HYDRA_SOURCE_DIR) + "/" + name, 1 << 20);
  EXPECT_TRUE(text.ok()) << text.status();
  return text.value_or("");
}

struct Key {
  std::string path;
  std::string value;
  std::string comment;
};

// The keys of a file in the style of server.yaml: two levels, comments above the key.
std::vector<Key> KeysOf(const std::string& text) {
  std::vector<Key> keys;
  std::string section;
  std::string comment;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    absl::string_view stripped = absl::StripAsciiWhitespace(line);
    if (stripped.empty()) comment.clear();
    if (absl::ConsumePrefix(&stripped, "# "))
      absl::StrAppend(&comment, comment.empty() ? "" : " ", stripped);
    if (stripped.empty() || absl::StartsWith(absl::StripAsciiWhitespace(line), "#")) continue;
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(stripped, absl::MaxSplits(':', 1));
    const std::string value(absl::StripAsciiWhitespace(parts.second));
    const bool nested = absl::StartsWith(line, "  ");
    if (value.empty()) {
      section = parts.first + ".";
      continue;
    }
    keys.push_back({(nested ? section : "") + parts.first, value, comment});
    comment.clear();
  }
  return keys;
}

std::string Table(const std::vector<Key>& keys) {
  std::string table = "| key | default | meaning |\n|---|---|---|\n";
  for (const Key& key : keys) {
    absl::StrAppend(&table, "| `", key.path, "` | `", key.value, "` | ", key.comment, " |\n");
  }
  return table;
}

TEST(ServerYamlTest, EveryKey_HasItsDefault) {
  const std::string text = Read("deploy/config/server.yaml");
  const auto config = ParseConfig(text, "server.yaml");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(*config, ServerConfig());
  const std::vector<Key> listed = KeysOf(text);
  const std::vector<Key> all = KeysOf(PrintConfig(ServerConfig()));
  ASSERT_EQ(listed.size(), all.size());
  for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(listed[i].path, all[i].path);
}

TEST(ServerYamlTest, EveryKey_IsExplained) {
  for (const Key& key : KeysOf(Read("deploy/config/server.yaml"))) {
    EXPECT_FALSE(key.comment.empty()) << key.path;
  }
}

TEST(ConfigurationDocTest, Table_IsThatOfServerYaml) {
  const std::string table = Table(KeysOf(Read("deploy/config/server.yaml")));
  EXPECT_TRUE(absl::StrContains(Read("docs/configuration.md"), table))
      << "docs/configuration.md must hold this table:\n"
      << table;
}

}  // namespace
}  // namespace hydra::config
