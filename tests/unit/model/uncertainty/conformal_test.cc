#include "model/uncertainty/conformal.h"

#include <cmath>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hydra::uncertainty {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::vector<float> kProbs = {0.125f, 0.5f, 0.25f, 0.125f};

TEST(ConformalMethodTest, Names_ParseBack) {
  for (const auto method : {ConformalMethod::kLac, ConformalMethod::kAps}) {
    const auto parsed = ParseConformalMethod(ConformalMethodName(method));
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(*parsed, method);
  }
  EXPECT_THAT(std::string(ParseConformalMethod("raps").status().message()), HasSubstr("lac, aps"));
}

TEST(ConformalScoreTest, Lac_IsOneMinusTheLabelsProbability) {
  EXPECT_DOUBLE_EQ(ConformalScore(kProbs, 1, ConformalMethod::kLac), 0.5);
  EXPECT_DOUBLE_EQ(ConformalScore(kProbs, 3, ConformalMethod::kLac), 0.875);
}

TEST(ConformalScoreTest, Aps_IsTheMassRankedUpToTheLabel) {
  EXPECT_DOUBLE_EQ(ConformalScore(kProbs, 1, ConformalMethod::kAps), 0.5);
  EXPECT_DOUBLE_EQ(ConformalScore(kProbs, 2, ConformalMethod::kAps), 0.75);
  EXPECT_DOUBLE_EQ(ConformalScore(kProbs, 0, ConformalMethod::kAps), 0.875);  // before its equal
  EXPECT_DOUBLE_EQ(ConformalScore(kProbs, 3, ConformalMethod::kAps), 1.0);
}

TEST(ConformalSetTest, Set_HoldsExactlyTheClassesWithinTheQuantile) {
  for (const auto method : {ConformalMethod::kLac, ConformalMethod::kAps}) {
    for (const double quantile : {0.0, 0.49, 0.5, 0.75, 0.8, 0.875, 0.9, 1.0}) {
      std::vector<bool> in_set(kProbs.size(), false);
      for (const size_t c : ConformalSet(kProbs, quantile, method)) in_set[c] = true;
      for (size_t c = 0; c < kProbs.size(); ++c) {
        EXPECT_EQ(in_set[c], ConformalScore(kProbs, c, method) <= quantile) << c << " " << quantile;
      }
    }
  }
}

TEST(ConformalSetTest, Classes_ComeMostProbableFirst) {
  EXPECT_THAT(ConformalSet(kProbs, 0.9, ConformalMethod::kLac), ElementsAre(1, 2, 0, 3));
}

TEST(ConformalSetTest, ExtremeQuantiles_GiveAllOrNothing) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THAT(ConformalSet(kProbs, infinity, ConformalMethod::kAps), ElementsAre(1, 2, 0, 3));
  EXPECT_THAT(ConformalSet(kProbs, NAN, ConformalMethod::kLac), IsEmpty());
  EXPECT_THAT(ConformalSet(kProbs, 0.4, ConformalMethod::kLac), IsEmpty());
}

}  // namespace
}  // namespace hydra::uncertainty
