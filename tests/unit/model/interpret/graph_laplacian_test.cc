#include "model/interpret/graph_laplacian.h"

#include <cmath>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/status_detail.h"

namespace hydra::interpret {
namespace {

using ::testing::HasSubstr;

TEST(NormalizedLaplacianTest, TwoNodes_EqualTheFormulaByHand) {
  const auto laplacian = NormalizedLaplacian(std::vector<double>{1.0, 3.0, 3.0, 6.0}, 2);
  ASSERT_TRUE(laplacian.ok()) << laplacian.status();
  EXPECT_EQ(laplacian->degrees, (std::vector<double>{4.0, 9.0}));
  EXPECT_NEAR(laplacian->matrix[0], 1.0 - 1.0 / 4.0, 1e-15);
  EXPECT_NEAR(laplacian->matrix[1], -3.0 / 6.0, 1e-15);
  EXPECT_NEAR(laplacian->matrix[2], -3.0 / 6.0, 1e-15);
  EXPECT_NEAR(laplacian->matrix[3], 1.0 - 6.0 / 9.0, 1e-15);
}

TEST(NormalizedLaplacianTest, NodeWithoutWeight_IsNamed) {
  const auto laplacian = NormalizedLaplacian(std::vector<double>{1.0, 0.0, 0.0, 0.0}, 2);
  EXPECT_EQ(base::ReasonOf(laplacian.status()), "ISOLATED_NODE");
  EXPECT_THAT(laplacian.status().message(), HasSubstr("node 1"));
}

TEST(NormalizedLaplacianTest, WeightThatIsNone_IsRefusedByPlace) {
  for (const double bad : {-0.5, std::nan(""), std::numeric_limits<double>::infinity()}) {
    const auto laplacian = NormalizedLaplacian(std::vector<double>{1.0, bad, 1.0, 1.0}, 2);
    EXPECT_EQ(base::ReasonOf(laplacian.status()), "BAD_WEIGHT");
    EXPECT_THAT(laplacian.status().message(), HasSubstr("nodes 0 and 1"));
  }
}

TEST(NormalizedLaplacianTest, OtherSize_IsRefused) {
  EXPECT_TRUE(absl::IsInvalidArgument(NormalizedLaplacian({}, 0).status()));
  EXPECT_TRUE(
      absl::IsInvalidArgument(NormalizedLaplacian(std::vector<double>{1.0, 1.0}, 2).status()));
}

}  // namespace
}  // namespace hydra::interpret
