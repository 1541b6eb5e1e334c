#include "model/calibration/rule_path.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/rng.h"

namespace hydra::calibration {
namespace {

using ::testing::ElementsAre;

TEST(RulePathTest, Position_IsTheLargestRank) {
  const auto path = RulePath::Create({{{4, 1, 3, 2}, {40, 10, 20, 30}}});
  ASSERT_TRUE(path.ok()) << path.status();
  EXPECT_EQ(path->Position({1, 10}).value(), 0.0);
  EXPECT_EQ(path->Position({3, 10}).value(), 0.5);
  EXPECT_EQ(path->Position({1, 35}).value(), 0.75);
  EXPECT_EQ(path->Position({99, 10}).value(), 1.0);
  EXPECT_THAT(path->ThresholdsAt(0.5).value(), ElementsAre(3, 30));
  EXPECT_TRUE(std::isinf(path->ThresholdsAt(1.0).value()[0]));
}

TEST(RulePathTest, CutAndThresholds_AcceptTheSameInputs) {
  base::Rng rng(5);
  std::vector<std::vector<double>> scores(3);
  for (auto& rule : scores) {  // rounded: with ties
    for (int i = 0; i < 70; ++i) rule.push_back(std::round(20.0 * rng.Normal()) / 10.0);
  }
  const RulePath path = RulePath::Create(scores).value();
  for (int i = 0; i < 500; ++i) {
    const std::vector<double> input = {std::round(20.0 * rng.Normal()) / 10.0, rng.Normal(),
                                       rng.Normal()};
    const double position = path.Position(input).value();
    for (int k = 0; k <= 70; ++k) {
      const double cut = k / 70.0;
      const std::vector<double> thresholds = path.ThresholdsAt(cut).value();
      bool accepted = true;
      for (size_t j = 0; j < 3; ++j) accepted = accepted && input[j] <= thresholds[j];
      EXPECT_EQ(accepted, position <= cut) << k;
    }
  }
}

TEST(RulePathTest, BadInput_IsRefused) {
  EXPECT_FALSE(RulePath::Create({}).ok());
  EXPECT_FALSE(RulePath::Create(std::vector<std::vector<double>>(1)).ok());
  EXPECT_FALSE(RulePath::Create({{{1, 2}, {1}}}).ok());
  EXPECT_FALSE(RulePath::Create({{{1, NAN}}}).ok());
  const RulePath path = RulePath::Create({{{1, 2}}}).value();
  EXPECT_FALSE(path.Position({1, 2}).ok());
  EXPECT_FALSE(path.Position({NAN}).ok());
  EXPECT_FALSE(path.ThresholdsAt(1.5).ok());
}

}  // namespace
}  // namespace hydra::calibration
