#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/status_detail.h"
#include "tests/unit/client/cli/run_cli.h"

namespace hydra::cli {
namespace {

using ::testing::HasSubstr;

std::shared_ptr<fakes::FakeConnection> Refusing(const absl::Status& status) {
  auto connection = std::make_shared<fakes::FakeConnection>();
  connection->get_policy = [status](const v1::GetPolicyRequest&) { return status; };
  return connection;
}

TEST(ProgramTest, Run_Refusal_PrintsFieldsNumbersAndReason) {
  absl::Status status = base::WithReason(absl::InvalidArgumentError("bad\x1b[2J"), "BAD_IMAGE");
  status = base::WithFieldViolations(status, {{"instances[3].image", "not a JPEG or PNG"}});
  status = base::WithMetadata(status, "limit", "64");
  const CliResult result = RunCli({"threshold", "get"}, Refusing(status));
  EXPECT_EQ(result.code, ExitCode::kRefused);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err,
            "hydra: refused (INVALID_ARGUMENT, BAD_IMAGE): bad?[2J\n"
            "  instances[3].image: not a JPEG or PNG\n"
            "  limit = 64\n");
}

TEST(ProgramTest, Run_Overloaded_SaysWhenToComeBack) {
  const absl::Status status =
      base::WithRetryDelay(absl::ResourceExhaustedError("queue full"), absl::Milliseconds(250));
  const CliResult result = RunCli({"threshold", "get"}, Refusing(status));
  EXPECT_EQ(result.code, ExitCode::kUnreachable);
  EXPECT_EQ(result.err,
            "hydra: not answered (RESOURCE_EXHAUSTED): queue full\n  retry after 250ms\n");
}

TEST(ProgramTest, Run_RefusalInJson_IsOneObjectOnStderr) {
  const absl::Status status = base::WithReason(absl::AbortedError("changed meanwhile"), "ETAG");
  const CliResult result = RunCli({"threshold", "get", "--json"}, Refusing(status));
  EXPECT_EQ(result.code, ExitCode::kRefused);
  EXPECT_EQ(result.err,
            R"({"error":{"code":"ABORTED","reason":"ETAG","message":"changed meanwhile",)"
            R"("metadata":{},"violations":[]}})"
            "\n");
}

TEST(ProgramTest, Run_WrongFlagValue_IsUsage) {
  const CliResult timeout =
      RunCli({"threshold", "get", "--timeout", "soon"}, Refusing(absl::OkStatus()));
  EXPECT_EQ(timeout.code, ExitCode::kUsage);
  EXPECT_THAT(timeout.err, HasSubstr("--timeout: got \"soon\""));
  const CliResult token =
      RunCli({"--token-file", "/no/such/file", "status"}, Refusing(absl::OkStatus()));
  EXPECT_EQ(token.code, ExitCode::kUsage);
  EXPECT_THAT(token.err, HasSubstr("/no/such/file"));
}

}  // namespace
}  // namespace hydra::cli
