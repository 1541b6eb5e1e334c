#include "model/calibration/p_values.h"

#include "gtest/gtest.h"
#include "tests/golden/statistics/guarantee_golden.h"

namespace hydra::calibration {
namespace {

TEST(PValueTest, GoldenCases_EqualScipy) {
  size_t compared = 0;
  const auto document = golden::LoadGuarantees();
  for (const auto& golden : document["p_values"]) {
    SCOPED_TRACE(golden.dump());
    const size_t n = golden["n"];
    const double level = golden["level"];
    const double binomial = golden["binomial"], bounded = golden["hoeffding_bentkus"];
    EXPECT_NEAR(BinomialPValue(golden["errors"], n, level), binomial, 1e-10 + 1e-8 * binomial);
    EXPECT_NEAR(HoeffdingBentkusPValue(golden["loss"], n, level), bounded, 1e-10 + 1e-8 * bounded);
    ++compared;
  }
  EXPECT_EQ(compared, 100u);
}

TEST(PValueTest, NoRow_ShowsNothing) {
  EXPECT_EQ(BinomialPValue(0, 0, 0.02), 1.0);
  EXPECT_EQ(HoeffdingBentkusPValue(0.0, 0, 0.02), 1.0);
}

TEST(PValueTest, RowsWithoutErrors_ReachFivePercentAt149) {
  EXPECT_GT(BinomialPValue(0, 148, 0.02), 0.05);
  EXPECT_LE(BinomialPValue(0, 149, 0.02), 0.05);
}

}  // namespace
}  // namespace hydra::calibration
