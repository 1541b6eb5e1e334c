#include <filesystem>
#include <fstream>
#include <iterator>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/fakes/scratch_directory.h"
#include "tests/unit/client/cli/run_cli.h"

namespace hydra::cli {
namespace {

using ::testing::HasSubstr;

// Answers each asked head with a 1 x 2 map; remembers the request.
std::shared_ptr<fakes::FakeConnection> Explaining(v1::ExplainHeadsRequest& seen) {
  auto connection = std::make_shared<fakes::FakeConnection>();
  connection->explain_heads = [&seen](const v1::ExplainHeadsRequest& request) {
    seen = request;
    v1::ExplainHeadsResponse response;
    for (const v1::HeadReference& head : request.heads()) {
      v1::HeadExplanation& explanation = *response.add_explanations();
      *explanation.mutable_head() = head;
      explanation.set_rows(1);
      explanation.set_columns(2);
      explanation.add_eigenvalues(0.0);
      explanation.add_eigenvalues(0.25);
      explanation.add_degenerate(head.head() == 5);
      if (request.return_png()) explanation.set_png("png of " + std::to_string(head.head()));
    }
    return response;
  };
  return connection;
}

std::string Contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ExplainTest, OneHead_IsWrittenToTheNamedFile) {
  const fakes::ScratchDirectory scratch;
  v1::ExplainHeadsRequest request;
  const CliResult result = RunCli({"explain", "--text", "play music", "--layer", "1", "--head", "2",
                                   "--member", "1", "--out", scratch.Path("x.png")},
                                  Explaining(request));
  EXPECT_EQ(result.code, ExitCode::kOk);
  EXPECT_EQ(request.instance().text(), "play music");
  ASSERT_EQ(request.heads_size(), 1);
  EXPECT_EQ(request.heads(0).member(), 1u);
  EXPECT_EQ(Contents(scratch.Path("x.png")), "png of 2");
  EXPECT_THAT(result.out, HasSubstr("1 x 2"));
  EXPECT_THAT(result.out, HasSubstr("0.0000 0.2500"));
}

TEST(ExplainTest, SeveralHeads_GetFilesOfTheirOwn) {
  const fakes::ScratchDirectory scratch;
  v1::ExplainHeadsRequest request;
  const CliResult result = RunCli({"explain", "--text", "play", "--layer", "0,1", "--head", "2,5",
                                   "--out", scratch.Path("x.png")},
                                  Explaining(request));
  EXPECT_EQ(request.heads_size(), 4);
  EXPECT_EQ(Contents(scratch.Path("x-layer1-head5.png")), "png of 5");
  EXPECT_THAT(result.out, HasSubstr("one choice of many"));
}

TEST(ExplainTest, NoFile_AsksForNoPictureAndJsonHasTheNumbers) {
  v1::ExplainHeadsRequest request;
  const CliResult result = RunCli(
      {"--json", "explain", "--text", "play", "--layer", "0", "--head", "2"}, Explaining(request));
  EXPECT_FALSE(request.return_png());
  EXPECT_THAT(result.out, HasSubstr("\"eigenvalues\":"));
}

TEST(ExplainTest, FileThatCannotBeWritten_IsTheCallersError) {
  v1::ExplainHeadsRequest request;
  const CliResult result = RunCli({"explain", "--text", "play", "--layer", "0", "--head", "2",
                                   "--out", "/nowhere/at/all/x.png"},
                                  Explaining(request));
  EXPECT_EQ(result.code, ExitCode::kUsage);
}

TEST(ExplainTest, ServerThatAnswersAnotherNumberOfHeads_IsNotTrusted) {
  auto connection = std::make_shared<fakes::FakeConnection>();
  connection->explain_heads = [](const v1::ExplainHeadsRequest&) {
    return v1::ExplainHeadsResponse();
  };
  const CliResult result =
      RunCli({"explain", "--text", "play", "--layer", "0", "--head", "2"}, connection);
  EXPECT_NE(result.code, ExitCode::kOk);
  EXPECT_THAT(result.err, HasSubstr("explained 0 heads, want 1"));
}

}  // namespace
}  // namespace hydra::cli
