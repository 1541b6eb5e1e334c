#include "model/calibration/learn_then_test.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/golden/statistics/guarantee_golden.h"

namespace hydra::calibration {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Selective risk and OOD acceptance of a golden selection at its cuts.
std::vector<ControlledRisk> RisksOf(const nlohmann::json& selection, const nlohmann::json& golden) {
  std::vector<ControlledRisk> risks = {
      {.name = "selective risk", .level = golden["levels"][0], .counts = {}},
      {.name = "OOD acceptance", .level = golden["levels"][1], .counts = {}}};
  const auto rows = golden::RowsOf(selection);
  for (const double cut : golden["cuts"]) {
    LossCount& selective = risks[0].counts.emplace_back();
    for (const auto& row : rows) {
      if (row.score > cut) continue;
      ++selective.rows;
      selective.loss += row.correct ? 0.0 : 1.0;
    }
    LossCount& ood = risks[1].counts.emplace_back();
    for (const double score : selection["ood"]) {
      ++ood.rows;
      ood.loss += score <= cut ? 1.0 : 0.0;
    }
  }
  return risks;
}

TEST(LearnThenTestTest, GoldenSelections_EqualReference) {
  size_t compared = 0;
  const auto document = golden::LoadGuarantees();
  for (const auto& selection : document["selections"]) {
    for (const auto& golden : selection["ltt"]) {
      const auto tested = LearnThenTest(RisksOf(selection, golden),
                                        {.starts = golden["starts"], .delta = golden["delta"]});
      ASSERT_TRUE(tested.ok()) << tested.status();
      EXPECT_EQ(tested->certified, golden["certified"].get<std::vector<size_t>>());
      ++compared;
    }
  }
  EXPECT_EQ(compared, 12u);
}

ControlledRisk Selective(std::vector<LossCount> counts, double level = 0.02) {
  return {.name = "selective risk", .level = level, .counts = std::move(counts)};
}

TEST(LearnThenTestTest, StartAtTheFirstRow_CertifiesNothing) {
  std::vector<LossCount> counts;  // no error at all
  for (size_t i = 1; i <= 1000; ++i) counts.push_back({.rows = i});
  const auto first = LearnThenTest({Selective(counts)}, {.starts = {0}}).value();
  EXPECT_TRUE(first.certified.empty());
  EXPECT_EQ(first.rows_needed, 149u);
  EXPECT_THAT(first.explanation, HasSubstr("selective risk of candidate 0"));
  const auto later = LearnThenTest({Selective(counts)}, {.starts = {148}}).value();
  EXPECT_EQ(later.certified.size(), 852u);
}

TEST(LearnThenTestTest, SeveralStarts_EachHasItsShareOfDelta) {
  const std::vector<LossCount> counts = {{.rows = 160}, {.rows = 170, .loss = 20}, {.rows = 220}};
  EXPECT_THAT(LearnThenTest({Selective(counts)}, {.starts = {0}})->certified, ElementsAre(0));
  // 160 rows without errors: p = 0.039, above 0.025; 220: 0.012.
  EXPECT_THAT(LearnThenTest({Selective(counts)}, {.starts = {0, 2}})->certified, ElementsAre(2));
}

TEST(LearnThenTestTest, OneRiskOfTwoFails_NamesIt) {
  const ControlledRisk fine = Selective({{.rows = 500}});
  const ControlledRisk ood = {.name = "OOD acceptance",
                              .level = 0.1,
                              .kind = LossKind::kBounded,
                              .counts = {{.rows = 100, .loss = 9.5}}};
  const auto tested = LearnThenTest({fine, ood}, {.starts = {0}}).value();
  EXPECT_TRUE(tested.certified.empty());
  EXPECT_THAT(tested.explanation, HasSubstr("OOD acceptance"));
}

TEST(LearnThenTestTest, BadInput_IsRefused) {
  const ControlledRisk risk = Selective({{.rows = 500}, {.rows = 600}});
  EXPECT_FALSE(LearnThenTest({}, {.starts = {0}}).ok());
  EXPECT_FALSE(LearnThenTest({risk}, {.starts = {}}).ok());
  EXPECT_FALSE(LearnThenTest({risk}, {.starts = {2}}).ok());
  EXPECT_FALSE(LearnThenTest({risk}, {.starts = {1, 1}}).ok());
  EXPECT_FALSE(LearnThenTest({risk}, {.starts = {0}, .delta = 1.0}).ok());
  EXPECT_FALSE(LearnThenTest({Selective({{.rows = 5}}, 0.0)}, {.starts = {0}}).ok());
  EXPECT_FALSE(LearnThenTest({risk, Selective({{.rows = 5}})}, {.starts = {0}}).ok());
  EXPECT_FALSE(LearnThenTest({Selective({{.rows = 5, .loss = 6}})}, {.starts = {0}}).ok());
  EXPECT_FALSE(LearnThenTest({Selective({{.rows = 5, .loss = 0.5}})}, {.starts = {0}}).ok());
}

TEST(FirstTestableTest, RankWithoutErrors_DecidesTheStart) {
  const std::vector<double> coverage = {0.149, 0.175, 0.5};
  const auto first = [&](size_t rows, size_t path_rows) {
    return FirstTestable({coverage, path_rows, rows}, 0.02, 0.05);
  };
  EXPECT_EQ(first(1000, 1000000), 1u);  // 175 - 2 sqrt(144) = 151
  EXPECT_EQ(first(1000, 1000), 2u);     // 175 - 2 sqrt(289) = 141
  EXPECT_EQ(first(900, 1000000), 2u);
  EXPECT_EQ(first(200, 1000000), std::nullopt);
  EXPECT_EQ(FirstTestable({{1.0}, 10, 149}, 0.02, 0.05), 0u);
  EXPECT_EQ(FirstTestable({{1.0}, 10, 148}, 0.02, 0.05), std::nullopt);
}

}  // namespace
}  // namespace hydra::calibration
