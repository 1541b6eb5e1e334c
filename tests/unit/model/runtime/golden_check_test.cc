#include "model/runtime/golden_check.h"

#include <cmath>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/fakes/fake_predictor.h"

namespace hydra::runtime {
namespace {

using ::testing::HasSubstr;

constexpr PredictorShape kShape{.members = 2, .classes = 3, .row_values = 4};
constexpr PredictorShape kTexts{.members = 2, .classes = 3, .max_tokens = 8, .vocabulary = 50};
constexpr size_t kRows = 20;  // more than one pass

// What FakePredictor answers; the largest logit is 100 + 20 + 19 = 139.
artifact::GoldenAnswers Golden() {
  artifact::GoldenAnswers golden{.members = kShape.members,
                                 .batch = kRows,
                                 .classes = kShape.classes,
                                 .row_values = kShape.row_values,
                                 .tolerance = {{"float32", 1e-3}}};
  golden.inputs.resize(kRows * kShape.row_values);
  for (size_t b = 0; b < kRows; ++b) golden.inputs[b * kShape.row_values] = static_cast<float>(b);
  golden.logits = fakes::FakePredictor(kShape).Run(golden.inputs, kRows).value();
  return golden;
}

absl::Status Check(const artifact::GoldenAnswers& golden, absl::string_view dtype = "float32",
                   PredictorShape shape = kShape) {
  fakes::FakePredictor predictor(shape);
  return CheckGolden(golden, dtype, predictor).status();
}

TEST(CheckGoldenTest, SameAnswers_Pass) { EXPECT_TRUE(Check(Golden()).ok()) << Check(Golden()); }

TEST(CheckGoldenTest, DifferenceWithinTolerance_Passes) {
  artifact::GoldenAnswers golden = Golden();
  golden.logits[7] += 0.13f;
  EXPECT_TRUE(Check(golden).ok()) << Check(golden);
}

TEST(CheckGoldenTest, DifferenceOverTolerance_IsRefusedWithTheNumbers) {
  artifact::GoldenAnswers golden = Golden();
  golden.logits[(1 * kRows + 17) * 3 + 2] = 130.0f;  // was 100 + 20 + 17
  const absl::Status status = Check(golden);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("row 17, member 1, class 2: got 137, want 130; relative error 0.05"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("tolerance 0.001 for float32"));
}

TEST(CheckGoldenTest, OutputThatIsNotANumber_IsRefused) {
  artifact::GoldenAnswers golden = Golden();
  golden.inputs[5 * kShape.row_values] = NAN;
  EXPECT_THAT(std::string(Check(golden).message()), HasSubstr("row 5, member 0, class 0: got nan"));
}

TEST(CheckGoldenTest, NoToleranceForTheDtype_IsRefused) {
  EXPECT_THAT(std::string(Check(Golden(), "bfloat16").message()),
              HasSubstr("no tolerance for bfloat16"));
}

TEST(CheckGoldenTest, OtherShape_IsRefused) {
  for (const PredictorShape shape :
       {PredictorShape{3, 3, 4}, PredictorShape{2, 2, 4}, PredictorShape{2, 3, 5}}) {
    EXPECT_EQ(Check(Golden(), "float32", shape).code(), absl::StatusCode::kFailedPrecondition);
  }
  artifact::GoldenAnswers cut = Golden();
  cut.logits.pop_back();
  EXPECT_FALSE(Check(cut).ok());
  artifact::GoldenAnswers empty = Golden();
  empty.batch = 0;
  empty.inputs.clear();
  empty.logits.clear();
  EXPECT_FALSE(Check(empty).ok());
}

// Texts of 1..6 tokens.
artifact::GoldenAnswers TextGolden() {
  artifact::GoldenAnswers golden{.members = kTexts.members,
                                 .batch = kRows,
                                 .classes = kTexts.classes,
                                 .tokens = 6,
                                 .tolerance = {{"float32", 1e-3}}};
  Rows rows;
  for (size_t b = 0; b < kRows; ++b) {
    rows.lengths.push_back(1 + b % 6);
    for (size_t t = 0; t < golden.tokens; ++t) {
      const auto id = static_cast<int64_t>(b + 3 * t);
      golden.token_ids.push_back(id);
      golden.attention_mask.push_back(t < rows.lengths.back());
      if (t < rows.lengths.back()) rows.token_ids.push_back(id);
    }
  }
  golden.logits = fakes::FakePredictor(kTexts).RunTexts(rows.token_ids, rows.lengths).value();
  return golden;
}

TEST(CheckGoldenTest, TextsWithPadding_AreReplayedWithoutIt) {
  artifact::GoldenAnswers golden = TextGolden();
  EXPECT_TRUE(Check(golden, "float32", kTexts).ok()) << Check(golden, "float32", kTexts);
  golden.token_ids[5] += 1;  // padding of row 0
  EXPECT_TRUE(Check(golden, "float32", kTexts).ok());
  golden.token_ids[0] += 1;
  EXPECT_THAT(std::string(Check(golden, "float32", kTexts).message()),
              HasSubstr("row 0, member 0, class 0: got 1, want 0"));
}

TEST(CheckGoldenTest, TextsWithHolesOrOfTheOtherKind_AreRefused) {
  artifact::GoldenAnswers golden = TextGolden();
  golden.attention_mask[5] = 1;
  EXPECT_THAT(std::string(Check(golden, "float32", kTexts).message()),
              HasSubstr("attention_mask of row 0: want ones and then zeros"));
  golden = TextGolden();
  golden.attention_mask[0] = 0;
  EXPECT_FALSE(Check(golden, "float32", kTexts).ok());
  golden = TextGolden();
  golden.token_ids.pop_back();
  EXPECT_FALSE(Check(golden, "float32", kTexts).ok());
  EXPECT_THAT(std::string(Check(TextGolden()).message()), HasSubstr("rows of at most 6 tokens"));
  EXPECT_THAT(std::string(Check(Golden(), "float32", kTexts).message()),
              HasSubstr("1 row of at most 8 tokens"));
}

TEST(CheckGoldenTest, FailedPass_IsPassedOn) {
  fakes::FakePredictor predictor(kShape, [](absl::Span<const float>, size_t) {
    return absl::ResourceExhaustedError("out of memory");
  });
  EXPECT_TRUE(absl::IsResourceExhausted(CheckGolden(Golden(), "float32", predictor).status()));
}

}  // namespace
}  // namespace hydra::runtime
