#include "server/config/config_text.h"

#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/fakes/scratch_directory.h"

namespace hydra::config {
namespace {

using ::testing::HasSubstr;

TEST(PrintConfigTest, PrintedConfig_ReadsBackEqual) {
  ServerConfig config;
  config.bundle.path = "/bundles/a \"quoted\" \\ name: #1\n\t\x7f ü";
  config.batching.max_queue_delay = absl::Microseconds(1300);
  config.batching.ladder = {1, 5, 32};
  config.lanes.numerics = runtime::Numerics::kBFloat16;
  config.rpc.reflection = true;
  config.log.level = LogLevel::kError;
  config.log.format = LogFormat::kJson;
  const auto read = ParseConfig(PrintConfig(config), "printed");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, config) << PrintConfig(config);
  EXPECT_FALSE(*read == ServerConfig());
}

TEST(ParseConfigTest, EmptyFile_GivesTheDefaults) {
  const auto config = ParseConfig("", "f");
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(*config, ServerConfig());
}

TEST(ParseConfigTest, UnknownKeyOrWord_IsRefused) {
  EXPECT_EQ(ParseConfig("batching: {max_batch_row: 3}", "f").status().message(),
            "f:1: batching.max_batch_row: unknown key, did you mean max_batch_rows?");
  EXPECT_THAT(std::string(ParseConfig("log: {level: loud}", "f").status().message()),
              HasSubstr("want debug or info or warning or error"));
}

TEST(LoadConfigTest, Flags_WinOverTheFile) {
  const fakes::ScratchDirectory scratch;
  const std::string path = scratch.Path("flags.yaml");
  std::ofstream(path)
      << "bundle: {path: from-file}\nlisten: \"127.0.0.1:1\"\nqueue: {max_rows: 99}\n";
  const auto config = LoadConfig({.config_file = path, .listen = "127.0.0.1:2"});
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->bundle.path, "from-file");
  EXPECT_EQ(config->listen, "127.0.0.1:2");
  EXPECT_EQ(config->queue.max_rows, 99u);
  EXPECT_EQ(config->queue.max_requests, 1024u);
}

TEST(LoadConfigTest, InvalidValueOrMissingFile_IsRefused) {
  EXPECT_EQ(LoadConfig({.config_file = "/nonexistent"}).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(LoadConfig({.listen = "nowhere"}).status().message()),
              HasSubstr("listen: got \"nowhere\""));
}

}  // namespace
}  // namespace hydra::config
