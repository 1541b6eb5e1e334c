#include "server/config/host_port.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hydra::config {
namespace {

using ::testing::HasSubstr;

TEST(HostPortTest, Addresses_AreSplit) {
  const auto v4 = ParseHostPort("127.0.0.1:8001");
  ASSERT_TRUE(v4.ok());
  EXPECT_EQ(v4->host, "127.0.0.1");
  EXPECT_EQ(v4->port, 8001);
  const auto v6 = ParseHostPort("[::1]:0");
  ASSERT_TRUE(v6.ok());
  EXPECT_EQ(v6->host, "::1");
  EXPECT_EQ(v6->port, 0);
}

TEST(HostPortTest, AnythingElse_IsRefusedWithItsText) {
  for (const char* text : {"", "8001", ":8001", "a:", "a:x", "a:65536", "a:-1", "a:+1", "::1:80",
                           "http://a:80", "a b:80", "[]:80"}) {
    EXPECT_THAT(std::string(ParseHostPort(text).status().message()),
                HasSubstr(std::string("got \"") + text + "\""));
  }
}

}  // namespace
}  // namespace hydra::config
