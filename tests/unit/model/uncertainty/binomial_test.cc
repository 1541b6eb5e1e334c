#include "model/uncertainty/binomial.h"

#include <cmath>

#include "gtest/gtest.h"

namespace hydra::uncertainty {
namespace {

// The sum of the terms, with each coefficient by multiplication: no gamma function involved.
double SummedCdf(int k, int n, double p) {
  double sum = 0.0;
  double coefficient = 1.0;
  for (int j = 0; j <= k; ++j) {
    sum += coefficient * std::pow(p, j) * std::pow(1.0 - p, n - j);
    coefficient *= static_cast<double>(n - j) / (j + 1);
  }
  return sum;
}

TEST(BinomialCdfTest, SmallCases_EqualTheSumOfTerms) {
  for (const int n : {1, 2, 7, 40, 300}) {
    for (const double p : {1e-6, 0.01, 0.3, 0.5, 0.97}) {
      for (int k = 0; k < n; k += 1 + n / 7) {
        EXPECT_NEAR(BinomialCdf(k, n, p), SummedCdf(k, n, p), 1e-12) << k << " " << n << " " << p;
      }
    }
  }
}

TEST(BinomialCdfTest, Ends_AreExact) {
  EXPECT_EQ(BinomialCdf(3, 3, 0.5), 1.0);
  EXPECT_EQ(BinomialCdf(0, 5, 0.0), 1.0);
  EXPECT_EQ(BinomialCdf(4, 5, 1.0), 0.0);
  EXPECT_NEAR(BinomialCdf(0, 1000000, 1e-5) / std::pow(1.0 - 1e-5, 1e6), 1.0, 1e-8);
}

TEST(RegularisedIncompleteBetaTest, Symmetry_Holds) {
  for (const double x : {0.001, 0.2, 0.5, 0.8, 0.999}) {
    EXPECT_NEAR(RegularisedIncompleteBeta(3.5, 1200.0, x),
                1.0 - RegularisedIncompleteBeta(1200.0, 3.5, 1.0 - x), 1e-13);
  }
  EXPECT_NEAR(RegularisedIncompleteBeta(2.0, 3.0, 0.3), 0.3483, 1e-12);
}

// The first four: tail inversion of Geifman & El-Yaniv's bound, evaluated independently.
TEST(BinomialUpperBoundTest, PublishedCases_AreReproduced) {
  EXPECT_NEAR(BinomialUpperBound(20, 1000, 0.001), 0.0377, 5e-5);
  EXPECT_NEAR(BinomialUpperBound(100, 5000, 0.001), 0.0269, 5e-5);
  EXPECT_NEAR(BinomialUpperBound(0, 500, 0.001), 0.0137, 5e-5);
  EXPECT_NEAR(BinomialUpperBound(20, 1000, 0.0001), 0.0420, 5e-5);
  EXPECT_NEAR(BinomialUpperBound(0, 500, 0.001), 1.0 - std::pow(0.001, 1.0 / 500.0), 1e-12);
}

TEST(BinomialUpperBoundTest, Bound_IsWhereTheTailEqualsDelta) {
  for (const double delta : {0.05, 0.001, 1e-9}) {
    for (const double errors : {0.0, 1.0, 17.0, 400.0}) {
      const double bound = BinomialUpperBound(errors, 500, delta);
      EXPECT_NEAR(BinomialCdf(errors, 500, bound) / delta, 1.0, 1e-6);
    }
  }
}

TEST(BinomialUpperBoundTest, ManySizes_BracketTheRoot) {
  for (const double n : {10.0, 33.5, 100.0, 4000.0, 1e6}) {
    for (const double share : {0.0, 1e-4, 0.01, 0.3, 0.5, 0.9}) {
      for (const double delta : {0.5, 0.05, 1e-6}) {
        const double errors = share * n;
        const double bound = BinomialUpperBound(errors, n, delta);
        EXPECT_GT(bound, share) << n << " " << share << " " << delta;
        EXPECT_LE(bound, 1.0);
        const double gap = 1e-9 * std::min(bound, 1.0 - bound);
        EXPECT_GE(BinomialCdf(errors, n, bound - gap), delta * (1.0 - 1e-9));
        EXPECT_LE(BinomialCdf(errors, n, bound + gap), delta * (1.0 + 1e-6));
      }
    }
  }
}

TEST(BinomialUpperBoundTest, NothingOrOnlyErrors_BoundsNothing) {
  EXPECT_EQ(BinomialUpperBound(0, 0, 0.05), 1.0);
  EXPECT_EQ(BinomialUpperBound(7, 7, 0.05), 1.0);
}

TEST(RowsNeededWithoutErrorsTest, TwoPercentAtFivePercent_Needs149) {
  EXPECT_EQ(RowsNeededWithoutErrors(0.02, 0.05), 149u);
  EXPECT_LE(BinomialUpperBound(0, 149, 0.05), 0.02);
  EXPECT_GT(BinomialUpperBound(0, 148, 0.05), 0.02);
}

TEST(RowsNeededWithoutErrorsTest, OnePercentOverTenCuts_Needs917) {
  EXPECT_EQ(RowsNeededWithoutErrors(0.01, 0.001 / 10.0), 917u);  // ceil(log2 917) = 10 cuts
}

}  // namespace
}  // namespace hydra::uncertainty
