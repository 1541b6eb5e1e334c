#include "server/lifecycle/model_setup.h"

#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/fakes/fake_clock.h"
#include "tests/unit/server/lifecycle/served_tiny.h"

namespace hydra::lifecycle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SetUpModelTest : public ::testing::Test {
 protected:
  SetUpModelTest() {
    config_.batching.max_batch_rows = 4;
    config_.lanes.count = 2;
  }

  absl::StatusOr<LoadedModel> SetUp(const Runtime& runtime) {
    return SetUpModel(config_, runtime, clock_, [this](absl::string_view step) {
      steps_.emplace_back(step);
      return absl::OkStatus();
    });
  }

  const fakes::ScratchDirectory scratch_;
  fakes::FakeClock clock_;
  config::ServerConfig config_;
  std::vector<std::string> steps_;
};

TEST_F(SetUpModelTest, EveryLane_IsProvenAndWarm) {
  config_.bundle.path = WriteServedTiny(scratch_);
  std::map<size_t, int> passes;
  const auto model = SetUp(FakeRuntime([&](absl::Span<const float>, size_t batch) {
    passes[batch] += 1;
    clock_.Advance(absl::Milliseconds(2 + batch));
    return absl::OkStatus();
  }));
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->predictors.size(), 2u);
  EXPECT_EQ(model->served.manifest.name, "tiny");
  EXPECT_EQ(model->served.serving_dtype, "float32");
  for (const size_t rung : {1, 2, 4}) EXPECT_GE(passes[rung], 2 * 3) << rung;
  EXPECT_NEAR(absl::ToDoubleMilliseconds(model->cost.Estimate(4)), 6.0, 1e-3);
  EXPECT_THAT(steps_, ElementsAre("open_bundle", "load of lane 1/2", "golden_answers of lane 1/2",
                                  "warm_up of lane 1/2", "load of lane 2/2",
                                  "golden_answers of lane 2/2", "warm_up of lane 2/2"));
}

TEST_F(SetUpModelTest, LongPasses_AreRunTwice) {
  config_.bundle.path = WriteServedTiny(scratch_);
  config_.lanes.count = 1;
  int passes_of_four = 0;
  const auto model = SetUp(FakeRuntime([&](absl::Span<const float>, size_t batch) {
    passes_of_four += batch == 4;
    if (batch == 4) clock_.Advance(absl::Seconds(1));
    return absl::OkStatus();
  }));
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(passes_of_four, 2);
}

class SetUpTextModelTest : public SetUpModelTest {
 protected:
  SetUpTextModelTest() {
    config_.lanes.count = 1;
    config_.batching.max_tokens = 20;
  }

  void Write(const artifact::BundleContents& contents) {
    config_.bundle.path = scratch_.Path("texts");
    const auto digest = artifact::WriteBundle(contents, config_.bundle.path);
    ASSERT_TRUE(digest.ok()) << digest.status();
  }

  std::string Refusal() { return std::string(SetUp(FakeRuntime()).status().message()); }
};

TEST_F(SetUpTextModelTest, SeveralLengths_AreProvenAndWarmWithinTheBudget) {
  Write(ServedTinyTexts());
  std::map<std::pair<size_t, size_t>, int> passes;  // by texts and tokens in all
  const auto model = SetUp(FakeRuntime([&](absl::Span<const float> ids, size_t batch) {
    passes[{batch, ids.size()}] += 1;
    clock_.Advance(absl::Milliseconds(2 + ids.size()));
    return absl::OkStatus();
  }));
  ASSERT_TRUE(model.ok()) << model.status();
  ASSERT_TRUE(model->served.tokenizer.has_value());
  EXPECT_EQ(model->served.tokenizer->settings().max_tokens, 10u);
  EXPECT_EQ(passes, (std::map<std::pair<size_t, size_t>, int>{
                        {{2, 5}, 1}, {{1, 4}, 3}, {{4, 16}, 3}, {{1, 10}, 3}, {{2, 20}, 3}}));
  EXPECT_NEAR(absl::ToDoubleMilliseconds(model->cost.Estimate(7)), 9.0, 1e-3);
}

TEST_F(SetUpTextModelTest, BudgetBelowOneText_IsRefusedByName) {
  Write(ServedTinyTexts());
  config_.batching.max_tokens = 9;
  EXPECT_THAT(Refusal(), HasSubstr("batching.max_tokens: got 9, want at least 10"));
}

TEST_F(SetUpTextModelTest, TokenizerThatDoesNotFit_IsRefusedByName) {
  artifact::BundleContents contents = ServedTinyTexts();
  contents.documents.manifest.geometry.vocabulary = 8;
  Write(contents);
  EXPECT_THAT(Refusal(), HasSubstr("tokenizer.json: got token id 8, want 0..7"));
}

TEST_F(SetUpTextModelTest, TokenizerThatIsNone_IsRefused) {
  artifact::BundleContents contents = ServedTinyTexts();
  contents.documents.tokenizer_json = "{}";
  Write(contents);
  EXPECT_EQ(SetUp(FakeRuntime()).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(SetUpModelTest, NoOrDamagedBundle_IsRefusedByName) {
  EXPECT_THAT(std::string(SetUp(FakeRuntime()).status().message()),
              HasSubstr("bundle.path: got nothing"));
  config_.bundle.path = "/nonexistent/bundle";
  EXPECT_THAT(std::string(SetUp(FakeRuntime()).status().message()),
              HasSubstr("/nonexistent/bundle"));
  config_.bundle.path = WriteServedTiny(scratch_);
  std::ofstream(config_.bundle.path + "/labels.json", std::ios::app) << " ";
  EXPECT_THAT(std::string(SetUp(FakeRuntime()).status().message()), HasSubstr("labels.json"));
}

TEST_F(SetUpModelTest, OtherAnswersThanGolden_AreRefusedWithTheNumbers) {
  config_.bundle.path = WriteServedTiny(scratch_);
  Runtime runtime = FakeRuntime();
  runtime.load_predictor =
      [](const artifact::Bundle& bundle,
         runtime::PredictorOptions) -> absl::StatusOr<std::unique_ptr<runtime::Predictor>> {
    class Wrong final : public runtime::Predictor {
     public:
      explicit Wrong(runtime::PredictorShape shape) : fake_(shape) {}
      const runtime::PredictorShape& shape() const override { return fake_.shape(); }
      absl::StatusOr<std::vector<float>> Run(absl::Span<const float> rows, size_t batch) override {
        auto logits = fake_.Run(rows, batch);
        logits->front() += 50.0f;
        return logits;
      }

     private:
      fakes::FakePredictor fake_;
    };
    return std::make_unique<Wrong>(TinyShape(bundle.golden()));
  };
  const absl::Status status = SetUp(runtime).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("row 0, member 0, class 0: got"));
}

TEST_F(SetUpModelTest, ProgressThatRefuses_EndsTheSetUp) {
  config_.bundle.path = WriteServedTiny(scratch_);
  const auto model = SetUpModel(config_, FakeRuntime(), clock_, [](absl::string_view step) {
    return step == "warm_up of lane 1/2" ? absl::CancelledError("enough") : absl::OkStatus();
  });
  EXPECT_EQ(model.status(), absl::CancelledError("enough"));
}

TEST_F(SetUpModelTest, FailedWarmUp_EndsTheSetUp) {
  config_.bundle.path = WriteServedTiny(scratch_);
  const auto model = SetUp(FakeRuntime([](absl::Span<const float>, size_t batch) {
    return batch == 4 ? absl::ResourceExhaustedError("out of memory") : absl::OkStatus();
  }));
  EXPECT_TRUE(absl::IsResourceExhausted(model.status()));
}

}  // namespace
}  // namespace hydra::lifecycle
