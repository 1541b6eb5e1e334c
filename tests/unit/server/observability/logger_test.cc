#include "server/observability/logger.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/fakes/fake_clock.h"

namespace hydra::observability {
namespace {

using ::testing::ElementsAre;

class LoggerTest : public ::testing::Test {
 protected:
  Logger Make(config::LogConfig config) {
    return Logger(config, clock_,
                  [this](config::LogLevel, const std::string& line) { lines_.push_back(line); });
  }

  fakes::FakeClock clock_;
  std::vector<std::string> lines_;
};

TEST_F(LoggerTest, Text_IsTimeLevelEventFields) {
  Logger logger = Make({});
  logger.Log(config::LogLevel::kInfo, "ready", {{"listen", "127.0.0.1:8001"}, {"empty", ""}});
  EXPECT_THAT(lines_, ElementsAre("2023-11-14T22:13:20.000Z info ready listen=127.0.0.1:8001 "
                                  "empty=\"\""));
}

TEST_F(LoggerTest, HostileValue_StaysInItsLineAndField) {
  Logger text = Make({});
  text.Log(config::LogLevel::kInfo, "call", {{"request_id", "a\nb level=error \"\xff"}});
  EXPECT_THAT(lines_, ElementsAre("2023-11-14T22:13:20.000Z info call "
                                  "request_id=\"a\\nb level=error \\\"\\xff\""));
  lines_.clear();
  Logger json = Make({.format = config::LogFormat::kJson});
  json.Log(config::LogLevel::kInfo, "call", {{"request_id", "a\nb\"}\xff"}});
  ASSERT_EQ(lines_.size(), 1u);
  EXPECT_EQ(lines_[0].find('\n'), std::string::npos);
  const auto parsed = nlohmann::json::parse(lines_[0], nullptr, false);
  ASSERT_FALSE(parsed.is_discarded()) << lines_[0];
  EXPECT_EQ(parsed["event"], "call");
  EXPECT_EQ(parsed["level"], "info");
  EXPECT_EQ(parsed["request_id"], "a\nb\"}\xef\xbf\xbd");
}

TEST_F(LoggerTest, LevelBelowTheConfigured_IsNotWritten) {
  Logger logger = Make({.level = config::LogLevel::kWarning});
  logger.Log(config::LogLevel::kInfo, "a", {});
  logger.LogRequest(config::LogLevel::kInfo, "b", {});
  logger.Log(config::LogLevel::kError, "c", {});
  EXPECT_THAT(lines_, ElementsAre("2023-11-14T22:13:20.000Z error c"));
}

TEST_F(LoggerTest, RequestFlood_IsCutAndTold) {
  Logger logger = Make({.max_lines_per_second = 2});
  for (int i = 0; i < 5; ++i) logger.LogRequest(config::LogLevel::kInfo, "call", {});
  EXPECT_EQ(lines_.size(), 2u);
  logger.Log(config::LogLevel::kInfo, "drain", {});
  EXPECT_EQ(lines_.size(), 3u);
  clock_.Advance(absl::Seconds(1));
  logger.LogRequest(config::LogLevel::kInfo, "call", {});
  ASSERT_EQ(lines_.size(), 5u);
  EXPECT_THAT(lines_[3], ::testing::HasSubstr("warning log_lines_left_out count=3"));
}

}  // namespace
}  // namespace hydra::observability
