#include "model/interpret/eigenspaces.h"

#include <cmath>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/rng.h"

namespace hydra::interpret {
namespace {

using ::testing::HasSubstr;

double Dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

std::vector<double> RandomSymmetric(size_t n, uint64_t seed) {
  base::Rng rng(seed);
  std::vector<double> matrix(n * n);
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j <= i; ++j) matrix[i * n + j] = matrix[j * n + i] = rng.Normal();
  }
  return matrix;
}

TEST(SmallestEigenpairsTest, RandomMatrix_GivesOrthonormalEigenvectors) {
  constexpr size_t kSize = 12;
  const std::vector<double> matrix = RandomSymmetric(kSize, 3);
  const auto pairs = SmallestEigenpairs(matrix, kSize, 5);
  ASSERT_TRUE(pairs.ok()) << pairs.status();
  ASSERT_EQ(pairs->values.size(), kSize);
  for (size_t k = 0; k < 5; ++k) {
    const std::vector<double>& vector = pairs->vectors[k];
    EXPECT_FALSE(pairs->degenerate[k]);
    EXPECT_LE(pairs->values[k], pairs->values[k + 1]);
    for (size_t other = 0; other < 5; ++other) {
      EXPECT_NEAR(Dot(vector, pairs->vectors[other]), k == other ? 1.0 : 0.0, 1e-12);
    }
    for (size_t i = 0; i < kSize; ++i) {
      const std::vector<double> row(matrix.begin() + i * kSize, matrix.begin() + (i + 1) * kSize);
      EXPECT_NEAR(Dot(row, vector), pairs->values[k] * vector[i], 1e-12);
    }
  }
}

TEST(SmallestEigenpairsTest, OppositeEntriesOfEqualSize_TheFirstIsPositive) {
  const auto pairs = SmallestEigenpairs(std::vector<double>{0.0, 1.0, 1.0, 0.0}, 2, 2);
  ASSERT_TRUE(pairs.ok());
  EXPECT_NEAR(pairs->vectors[0][0], std::sqrt(0.5), 1e-12);
  EXPECT_NEAR(pairs->vectors[0][1], -std::sqrt(0.5), 1e-12);
}

TEST(SmallestEigenpairsTest, LargestEntryIsNegative_VectorIsTurned) {
  // Eigenvector of the smallest eigenvalue: (1, -2) / sqrt(5), up to the sign.
  const auto pairs = SmallestEigenpairs(std::vector<double>{4.0, 2.0, 2.0, 1.0}, 2, 1);
  ASSERT_TRUE(pairs.ok());
  EXPECT_NEAR(pairs->values[0], 0.0, 1e-12);
  EXPECT_NEAR(pairs->vectors[0][1], 2.0 / std::sqrt(5.0), 1e-12);
}

TEST(SmallestEigenpairsTest, Identity_GivesTheAxesInOrder) {
  std::vector<double> identity(16);
  for (size_t i = 0; i < 4; ++i) identity[i * 5] = 1.0;
  const auto pairs = SmallestEigenpairs(identity, 4, 3);
  ASSERT_TRUE(pairs.ok());
  for (size_t k = 0; k < 3; ++k) {
    EXPECT_TRUE(pairs->degenerate[k]);
    for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(pairs->vectors[k][i], i == k ? 1.0 : 0.0, 1e-12);
  }
}

TEST(SmallestEigenpairsTest, DegenerateSpaceUnderNoise_KeepsItsBasis) {
  // diag(1, 1, 0, 2) with rounding noise that would turn the raw eigenvectors at will.
  for (const double noise : {1e-9, -1e-9}) {
    std::vector<double> matrix(16);
    matrix[0] = matrix[5] = 1.0;
    matrix[15] = 2.0;
    matrix[1] = matrix[4] = noise;
    const auto pairs = SmallestEigenpairs(matrix, 4, 3);
    ASSERT_TRUE(pairs.ok());
    EXPECT_EQ(pairs->degenerate, (std::vector<bool>{false, true, true}));
    EXPECT_NEAR(pairs->vectors[1][0], 1.0, 1e-6);
    EXPECT_NEAR(pairs->vectors[2][1], 1.0, 1e-6);
  }
}

TEST(SmallestEigenpairsTest, SpaceCutByTheCount_IsStillTakenWhole) {
  std::vector<double> identity(9);
  for (size_t i = 0; i < 3; ++i) identity[i * 4] = 1.0;
  const auto pairs = SmallestEigenpairs(identity, 3, 1);
  ASSERT_TRUE(pairs.ok());
  EXPECT_EQ(pairs->vectors.size(), 1u);
  EXPECT_TRUE(pairs->degenerate[0]);
  EXPECT_NEAR(pairs->vectors[0][0], 1.0, 1e-12);
}

TEST(SmallestEigenpairsTest, WrongInput_IsRefused) {
  const std::vector<double> matrix = {1.0, 0.0, 0.0, 1.0};
  EXPECT_TRUE(absl::IsInvalidArgument(SmallestEigenpairs(matrix, 3, 1).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(SmallestEigenpairs(matrix, 2, 0).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(SmallestEigenpairs(matrix, 2, 3).status()));
  const std::vector<double> infinite = {1.0, 0.0, HUGE_VAL, 1.0};
  EXPECT_THAT(SmallestEigenpairs(infinite, 2, 1).status().message(), HasSubstr("value 2 is inf"));
}

}  // namespace
}  // namespace hydra::interpret
