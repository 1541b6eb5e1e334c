#include "client/cpp/options.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hydra::client {
namespace {

using ::testing::HasSubstr;

TEST(OptionsTest, Validate_Defaults_AreValid) { EXPECT_TRUE(Validate(Options{}).ok()); }

TEST(OptionsTest, Validate_OutOfRange_NamesTheOption) {
  EXPECT_THAT(Validate(Options{.endpoint = ""}).message(), HasSubstr("endpoint"));
  EXPECT_THAT(Validate(Options{.timeout = absl::ZeroDuration()}).message(),
              HasSubstr("timeout: got 0"));
  EXPECT_THAT(Validate(Options{.timeout = absl::InfiniteDuration()}).message(),
              HasSubstr("timeout: got inf"));
  EXPECT_THAT(Validate(Options{.tls = TlsOptions{.private_key = "key"}}).message(),
              HasSubstr("together"));
}

TEST(OptionsTest, Validate_TokenOverPlainText_OnlyOnThisHost) {
  for (const char* endpoint : {"localhost:1", "127.0.0.1:1", "dns:///localhost:1", "[::1]:1",
                               "unix:/run/hydra.sock", "ipv4:127.0.0.1:1"}) {
    EXPECT_TRUE(Validate(Options{.endpoint = endpoint, .bearer_token = "t"}).ok()) << endpoint;
  }
  for (const char* endpoint : {"hydra:1", "localhost.example:1", "ipv4:127.0.0.1:1,10.0.0.1:1",
                               "dns:///hydra:1", "127.0.0.1.example:1"}) {
    EXPECT_THAT(Validate(Options{.endpoint = endpoint, .bearer_token = "t"}).message(),
                HasSubstr("plain text"))
        << endpoint;
    EXPECT_TRUE(
        Validate(Options{.endpoint = endpoint, .tls = TlsOptions{}, .bearer_token = "t"}).ok());
  }
}

}  // namespace
}  // namespace hydra::client
