#include "model/calibration/conformal_risk.h"

#include <cmath>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/golden/statistics/guarantee_golden.h"

namespace hydra::calibration {
namespace {

using ::testing::HasSubstr;
using uncertainty::ScoredRow;

TEST(ControlGeneralisedRiskTest, GoldenSelections_EqualReference) {
  size_t compared = 0;
  const auto document = golden::LoadGuarantees();
  for (const auto& selection : document["selections"]) {
    for (const auto& golden : selection["crc"]) {
      const auto cut = ControlGeneralisedRisk(golden::RowsOf(selection), golden["alpha"]);
      ASSERT_TRUE(cut.ok()) << cut.status();
      ++compared;
      const auto& found = golden["found"];
      ASSERT_EQ(cut->threshold.has_value(), !found.is_null());
      if (found.is_null()) {
        EXPECT_EQ(cut->rows_needed, golden["rows_needed"].get<size_t>());
        continue;
      }
      EXPECT_EQ(cut->threshold, found["threshold"].get<double>());
      EXPECT_EQ(cut->accepted, found["accepted"].get<size_t>());
      EXPECT_EQ(cut->errors, found["errors"].get<size_t>());
    }
  }
  EXPECT_EQ(compared, 16u);
}

TEST(ControlGeneralisedRiskTest, SurestRowsWrong_AcceptsNothing) {
  std::vector<ScoredRow> rows(100, {.score = 0.0, .correct = false});
  const auto cut = ControlGeneralisedRisk(rows, 0.1).value();
  EXPECT_FALSE(cut.threshold.has_value());
  EXPECT_FALSE(cut.rows_needed.has_value());  // more such rows would not help
  EXPECT_THAT(cut.explanation, HasSubstr("want at most 0.1"));
}

TEST(ControlExpectedLossTest, BoundOfExactlyAlpha_Qualifies) {
  const auto controlled = ControlExpectedLoss({0, 9, 10}, 99, 1.0, 0.1).value();
  EXPECT_EQ(controlled.candidate, 1u);
  EXPECT_DOUBLE_EQ(controlled.bound, 0.1);
}

TEST(ControlExpectedLossTest, LargerLosses_CostMoreRows) {
  EXPECT_EQ(ControlExpectedLoss({0}, 18, 1.0, 0.05)->rows_needed, 19u);
  EXPECT_EQ(ControlExpectedLoss({0}, 19, 1.0, 0.05)->candidate, 0u);
  EXPECT_EQ(ControlExpectedLoss({0}, 38, 2.0, 0.05)->rows_needed, 39u);
}

TEST(ControlExpectedLossTest, BadInput_IsRefused) {
  EXPECT_FALSE(ControlExpectedLoss({}, 10, 1.0, 0.1).ok());
  EXPECT_FALSE(ControlExpectedLoss({0}, 0, 1.0, 0.1).ok());
  EXPECT_FALSE(ControlExpectedLoss({2, 1}, 10, 1.0, 0.1).ok());  // not monotone
  EXPECT_FALSE(ControlExpectedLoss({11}, 10, 1.0, 0.1).ok());
  EXPECT_FALSE(ControlExpectedLoss({0}, 10, 1.0, 1.0).ok());
  EXPECT_FALSE(ControlExpectedLoss({0}, 10, 0.0, 0.1).ok());
  EXPECT_FALSE(ControlGeneralisedRisk({}, 0.1).ok());
  EXPECT_FALSE(ControlGeneralisedRisk(std::vector<ScoredRow>{{NAN, true}}, 0.1).ok());
}

}  // namespace
}  // namespace hydra::calibration
