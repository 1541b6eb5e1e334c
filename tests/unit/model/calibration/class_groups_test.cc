#include "model/calibration/class_groups.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hydra::calibration {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(PlanClassRulesTest, EnoughRows_OwnRule_ElseGroup) {
  const auto plan = PlanClassRules(std::vector<size_t>{149, 148, 2, 60, 400, 90},
                                   std::vector<size_t>{0, 1, 2, 3, 4, 5}, 0.02, 0.05);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->rows_needed, 149u);
  ASSERT_EQ(plan->rules.size(), 4u);
  EXPECT_THAT(plan->rules[0].classes, ElementsAre(0));
  EXPECT_THAT(plan->rules[1].classes, ElementsAre(4));
  EXPECT_THAT(plan->rules[2].classes, ElementsAre(1, 2));
  EXPECT_THAT(plan->rules[3].classes, ElementsAre(3, 5));
  EXPECT_EQ(plan->rules[3].rows, 150u);
  EXPECT_THAT(plan->infeasible, IsEmpty());
}

TEST(PlanClassRulesTest, Rest_JoinsTheLastGroup) {
  const auto plan =
      PlanClassRules(std::vector<size_t>{80, 80, 10}, std::vector<size_t>{2, 1, 0}, 0.02, 0.05);
  ASSERT_TRUE(plan.ok());
  ASSERT_EQ(plan->rules.size(), 1u);
  EXPECT_THAT(plan->rules[0].classes, ElementsAre(0, 1, 2));
  EXPECT_EQ(plan->rules[0].rows, 170u);
}

TEST(PlanClassRulesTest, TooFewRowsTogether_AreInfeasible) {
  const auto plan =
      PlanClassRules(std::vector<size_t>{500, 80, 10}, std::vector<size_t>{0, 1, 2}, 0.02, 0.05);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->rules.size(), 1u);
  EXPECT_THAT(plan->infeasible, ElementsAre(1, 2));
  EXPECT_THAT(plan->explanation, HasSubstr("got 90 rows together, want at least 149"));
}

TEST(PlanClassRulesTest, BadInput_IsRefused) {
  const std::vector<size_t> rows = {10, 20};
  EXPECT_FALSE(PlanClassRules({}, {}, 0.02, 0.05).ok());
  EXPECT_FALSE(PlanClassRules(rows, std::vector<size_t>{0}, 0.02, 0.05).ok());
  EXPECT_FALSE(PlanClassRules(rows, std::vector<size_t>{0, 0}, 0.02, 0.05).ok());
  EXPECT_FALSE(PlanClassRules(rows, std::vector<size_t>{0, 1}, 0.0, 0.05).ok());
  EXPECT_FALSE(PlanClassRules(rows, std::vector<size_t>{0, 1}, 0.02, 1.0).ok());
}

}  // namespace
}  // namespace hydra::calibration
