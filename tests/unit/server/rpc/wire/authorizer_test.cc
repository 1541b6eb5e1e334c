#include "server/rpc/wire/authorizer.h"

#include <filesystem>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/file.h"

namespace hydra::rpc {
namespace {

using ::testing::HasSubstr;

absl::Status CreateWith(const std::string& text) {
  const std::string path = testing::TempDir() + "/tokens_" +
                           testing::UnitTest::GetInstance()->current_test_info()->name();
  EXPECT_TRUE(base::WriteFileAtomically(path, text).ok());
  const absl::Status status = Authorizer::Create(path, "0.0.0.0:1").status();
  std::filesystem::remove(path);
  return status;
}

TEST(IsLoopbackTest, OnlyLoopbackAddresses_Are) {
  for (const char* listen :
       {"127.0.0.1:8001", "127.8.9.10:0", "[::1]:8001", "localhost:8001", "unix:/run/hydra.sock"}) {
    EXPECT_TRUE(IsLoopback(listen)) << listen;
  }
  for (const char* listen : {"0.0.0.0:8001", "[::]:8001", "10.0.0.1:8001", "127.example.com:1",
                             "127.0.0.1.example.com:1", "localhost.example.com:1", "127.0.0.256:1",
                             "", "8001", ":8001"}) {
    EXPECT_FALSE(IsLoopback(listen)) << listen;
  }
}

TEST(AuthorizerTest, TokensOfEitherForm_AreRead) {
  EXPECT_TRUE(CreateWith("0123456789abcdef\n").ok());
  EXPECT_TRUE(CreateWith("\nalice:0123456789abcdef\n bob:fedcba9876543210 \n").ok());
}

TEST(AuthorizerTest, FilesThatProtectNothing_AreRefused) {
  EXPECT_THAT(CreateWith("").message(), HasSubstr("no token"));
  EXPECT_THAT(CreateWith(" \n\n").message(), HasSubstr("no token"));
  EXPECT_THAT(CreateWith("short").message(), HasSubstr("at least 16"));
  EXPECT_THAT(CreateWith("al ice:0123456789abcdef").message(), HasSubstr("name"));
  EXPECT_THAT(CreateWith("0123456789abcdef\nbob:x").message(), HasSubstr("token 2"));
  EXPECT_EQ(Authorizer::Create("/nonexistent", "127.0.0.1:1").status().code(),
            absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace hydra::rpc
