#include "client/terminal/connection_flags.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/file.h"

namespace hydra::terminal {
namespace {

using ::testing::HasSubstr;

std::string Write(const std::string& name, const std::string& contents) {
  const std::string path = ::testing::TempDir() + "/connection_flags_" + name;
  EXPECT_TRUE(base::WriteFileAtomically(path, contents).ok());
  return path;
}

TEST(MakeOptionsTest, Defaults_ArePlainTextToThisHost) {
  const auto options = MakeOptions({});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->endpoint, "localhost:8001");
  EXPECT_EQ(options->timeout, absl::Seconds(10));
  EXPECT_FALSE(options->tls.has_value());
}

TEST(MakeOptionsTest, TokenFile_IsReadWithoutItsNewline) {
  const auto options = MakeOptions({.token_file = Write("token", "s3cret\n")});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->bearer_token, "s3cret");
}

TEST(MakeOptionsTest, TokenToAnotherHostInPlainText_IsRefused) {
  const ConnectionFlags flags = {.endpoint = "hydra.example:8001",
                                 .token_file = Write("token", "s3cret")};
  EXPECT_THAT(MakeOptions(flags).status().message(), HasSubstr("plain text"));
}

TEST(MakeOptionsTest, CertificateFiles_TurnTlsOn) {
  const auto options = MakeOptions({.ca_file = Write("ca", "CA"),
                                    .cert_file = Write("cert", "CERT"),
                                    .key_file = Write("key", "KEY")});
  ASSERT_TRUE(options.ok()) << options.status();
  ASSERT_TRUE(options->tls.has_value());
  EXPECT_EQ(options->tls->root_certificates, "CA");
  EXPECT_EQ(options->tls->certificate_chain, "CERT");
  EXPECT_EQ(options->tls->private_key, "KEY");
}

TEST(MakeOptionsTest, MissingFile_IsNamed) {
  EXPECT_THAT(MakeOptions({.ca_file = "/no/such/ca.pem"}).status().message(),
              HasSubstr("/no/such/ca.pem"));
}

TEST(ParsePositiveDurationTest, Text_IsADurationOrRefusedByFlag) {
  EXPECT_EQ(*ParsePositiveDuration("--duration", "1m30s"), absl::Seconds(90));
  for (const char* text : {"", "10", "-1s", "0s", "ten"}) {
    EXPECT_THAT(ParsePositiveDuration("--duration", text).status().message(),
                HasSubstr("--duration: got \""))
        << text;
  }
}

}  // namespace
}  // namespace hydra::terminal
