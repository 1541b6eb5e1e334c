#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "google/rpc/code.pb.h"
#include "gtest/gtest.h"
#include "model/base/file.h"
#include "nlohmann/json.hpp"
#include "tests/unit/client/cli/run_cli.h"

namespace hydra::cli {
namespace {

using ::testing::HasSubstr;

void Fill(v1::Prediction& prediction, const std::string& label, uint32_t index) {
  auto* top = prediction.add_top();
  top->set_label(label);
  top->set_index(index);
  top->set_probability(0.9125);
  v1::Uncertainty& uncertainty = *prediction.mutable_uncertainty();
  uncertainty.set_total_nats(0.4);
  uncertainty.set_aleatoric_nats(0.3);
  uncertainty.set_epistemic_nats(0.1);
  v1::Decision& decision = *prediction.mutable_decision();
  decision.set_score_name("mutual_information");
  decision.set_score(0.1);
  decision.set_threshold(0.2);
  decision.set_outcome(v1::DECISION_OUTCOME_PREDICTED);
}

void Abstain(v1::Prediction& prediction) {
  prediction.mutable_decision()->set_outcome(v1::DECISION_OUTCOME_ABSTAINED);
  prediction.mutable_decision()->set_reason(v1::ABSTENTION_REASON_MEMBERS_DISAGREE);
  prediction.mutable_decision()->set_score(0.31415926);
}

// Answers instance i as "class i"; the second one is abstained from, the third one failed.
v1::PredictResponse Answer(const v1::PredictRequest& request) {
  v1::PredictResponse response;
  response.mutable_model()->set_name("fmnist");
  response.mutable_model()->set_bundle_digest(absl::StrCat("sha256:", std::string(64, 'a')));
  response.mutable_policy()->set_revision(4);
  response.mutable_policy()->set_certificate_state(v1::CERTIFICATE_STATE_VALID);
  response.set_members_used(3);
  for (int i = 0; i < request.instances_size(); ++i) {
    v1::Prediction& prediction = *response.add_predictions();
    if (i == 2) {
      prediction.mutable_status()->set_code(google::rpc::INVALID_ARGUMENT);
      prediction.mutable_status()->set_message("not a JPEG or PNG");
      continue;
    }
    Fill(prediction, absl::StrCat("class ", i), static_cast<uint32_t>(i));
    if (i == 1) Abstain(prediction);
  }
  return response;
}

class PredictTest : public ::testing::Test {
 protected:
  PredictTest() {
    connection_->predict = [this](const v1::PredictRequest& request) {
      requests_.push_back(request);
      return Answer(request);
    };
  }

  // Three images of 1 x 1 pixel and their classes, as IDX files.
  static std::vector<std::string> IdxFlags() {
    const std::string images = ::testing::TempDir() + "/cli-images";
    const std::string labels = ::testing::TempDir() + "/cli-labels";
    const std::string sizes("\0\0\0\x03\0\0\0\x01\0\0\0\x01", 12);
    EXPECT_TRUE(base::WriteFileAtomically(
                    images, absl::StrCat(std::string("\0\0\x08\x03", 4), sizes, "abc"))
                    .ok());
    EXPECT_TRUE(
        base::WriteFileAtomically(labels, absl::StrCat(std::string("\0\0\x08\x01\0\0\0\x03", 8),
                                                       std::string("\0\x05\x02", 3)))
            .ok());
    return {"predict", "--idx", images, "--idx-labels", labels};
  }

  CliResult Run(std::vector<std::string> arguments) { return RunCli(arguments, connection_); }

  std::shared_ptr<fakes::FakeConnection> connection_ = std::make_shared<fakes::FakeConnection>();
  std::vector<v1::PredictRequest> requests_;
};

TEST_F(PredictTest, Run_PredictedAbstainedAndFailed_AreOneTable) {
  const CliResult result = Run(IdxFlags());
  EXPECT_EQ(result.code, ExitCode::kIncomplete);
  EXPECT_THAT(result.out, HasSubstr("class 0        0.912  0.400      0.300      0.100  PREDICTED  "
                                    "mutual_information 0.1 <= 0.2\n"));
  EXPECT_THAT(result.out, HasSubstr("class 1        0.912  0.400      0.300      0.100  ABSTAINED  "
                                    "MEMBERS_DISAGREE: mutual_information 0.3142 > 0.2\n"));
  EXPECT_THAT(result.out, HasSubstr("FAILED     not a JPEG or PNG\n"));
  EXPECT_THAT(result.out,
              HasSubstr("\n3 inputs: 1 predicted, 1 abstained (50.0 %), 1 failed; "
                        "1 of 1 predicted right (100.0 %)\n"
                        "entropies in nats; model fmnist sha256:aaaaaaaaaaaa, 3 members, policy "
                        "revision 4 (certificate VALID)\n"));
}

TEST_F(PredictTest, Run_Json_IsOneObjectALine) {
  std::vector<std::string> arguments = IdxFlags();
  arguments.push_back("--json");
  const CliResult result = Run(arguments);
  std::istringstream lines(result.out);
  std::vector<nlohmann::json> objects;
  for (std::string line; std::getline(lines, line);) {
    objects.push_back(nlohmann::json::parse(line, nullptr, false));
    ASSERT_FALSE(objects.back().is_discarded()) << line;
  }
  ASSERT_EQ(objects.size(), 3u);
  EXPECT_EQ(objects[0]["top"][0]["index"], 0);
  EXPECT_EQ(objects[0]["truth"], 0);
  EXPECT_EQ(objects[1]["decision"]["outcome"], "DECISION_OUTCOME_ABSTAINED");
  EXPECT_EQ(objects[1]["policy"]["revision"], "4");
  EXPECT_EQ(objects[2]["status"]["message"], "not a JPEG or PNG");
  EXPECT_FALSE(objects[1]["uncertainty"].contains("novelty"));
}

TEST_F(PredictTest, Run_SkipCountAndBatch_SplitTheFile) {
  std::vector<std::string> arguments = IdxFlags();
  for (const char* flag : {"--skip", "1", "--count", "2", "--batch", "1", "--top", "3"}) {
    arguments.push_back(flag);
  }
  EXPECT_EQ(Run(arguments).code, ExitCode::kOk);
  ASSERT_EQ(requests_.size(), 2u);
  EXPECT_EQ(requests_[0].instances(0).tensor().data(), "b");
  EXPECT_EQ(requests_[1].instances(0).tensor().data(), "c");
  EXPECT_EQ(requests_[0].options().top_k(), 3u);
  EXPECT_TRUE(requests_[0].options().allow_partial());
}

TEST_F(PredictTest, Run_RefusedLater_StillShowsWhatWasAnswered) {
  connection_->predict = [this](const v1::PredictRequest& request) {
    requests_.push_back(request);
    if (requests_.size() > 1)
      return absl::StatusOr<v1::PredictResponse>(absl::UnavailableError(""));
    return absl::StatusOr<v1::PredictResponse>(Answer(request));
  };
  std::vector<std::string> arguments = IdxFlags();
  arguments.insert(arguments.end(), {"--batch", "1"});
  const CliResult result = Run(arguments);
  EXPECT_EQ(result.code, ExitCode::kUnreachable);
  EXPECT_THAT(result.out, HasSubstr("1 inputs: 1 predicted"));
}

TEST_F(PredictTest, Run_NoOrTwoKindsOfInput_IsUsage) {
  EXPECT_EQ(Run({"predict"}).code, ExitCode::kUsage);
  EXPECT_EQ(Run({"predict", "a.png", "--idx", "b"}).code, ExitCode::kUsage);
  EXPECT_THAT(Run({"predict", "/no/such.png"}).err, HasSubstr("/no/such.png: no such file"));
  EXPECT_TRUE(requests_.empty());
}

TEST_F(PredictTest, Run_Texts_AreSentAndCutsAreShown) {
  connection_->predict = [this](const v1::PredictRequest& request) {
    requests_.push_back(request);
    v1::PredictResponse response = Answer(request);
    response.mutable_predictions(0)->set_truncated_tokens(12);
    return response;
  };
  const CliResult table = RunCli({"predict", "--text", "play music", "--text", ""}, connection_);
  EXPECT_EQ(table.code, ExitCode::kOk) << table.err;
  ASSERT_EQ(requests_.size(), 1u);
  EXPECT_EQ(requests_[0].instances(0).text(), "play music");
  EXPECT_TRUE(requests_[0].instances(1).has_text());
  EXPECT_THAT(table.out, HasSubstr("play music"));
  EXPECT_THAT(table.out, HasSubstr("12 tokens cut off"));
  EXPECT_THAT(table.out, HasSubstr("; 1 texts cut off"));
  const CliResult lines = RunCli({"--json", "predict", "--text", "play music"}, connection_);
  EXPECT_EQ(nlohmann::json::parse(lines.out)["truncated_tokens"], 12);
  const CliResult malformed = RunCli({"predict", "--text", "\xff"}, connection_);
  EXPECT_EQ(malformed.code, ExitCode::kUsage);
  EXPECT_EQ(requests_.size(), 2u);
}

}  // namespace
}  // namespace hydra::cli
