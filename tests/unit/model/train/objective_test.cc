#include "model/train/objective.h"

#include <ATen/ATen.h>

#include <cmath>
#include <vector>

#include "gtest/gtest.h"
#include "model/base/rng.h"
#include "model/nn/tensor_convert.h"
#include "model/uncertainty/softmax.h"
#include "model/uncertainty/split.h"

namespace hydra::train {
namespace {

constexpr int64_t kMembers = 3, kRows = 7, kClasses = 4;

at::Tensor RandomLogits(uint64_t seed) {
  base::Rng rng(seed);
  std::vector<float> values(kMembers * kRows * kClasses);
  for (float& value : values) value = static_cast<float>(3.0 * rng.Normal());
  return nn::FromFloats(values, {kMembers, kRows, kClasses});
}

// The served split of the uncertainty, an independent implementation.
TEST(MutualInformationTest, RandomLogits_EqualsTheEpistemicPart) {
  const at::Tensor logits = RandomLogits(1);
  const auto shape = uncertainty::EnsembleShape::Create(kMembers, kRows, kClasses).value();
  const std::vector<float> probabilities = nn::ToFloatVector(at::softmax(logits, -1));
  const auto split = uncertainty::SplitUncertainty(probabilities, shape).value();
  double epistemic = 0.0;
  for (const auto& row : split) epistemic += row.epistemic_nats.value() / kRows;
  EXPECT_GT(epistemic, 0.1);
  EXPECT_NEAR(MutualInformation(logits).item<double>(), epistemic, 1e-5);
}

TEST(MutualInformationTest, EqualMembers_IsZero) {
  const at::Tensor logits = RandomLogits(2).narrow(0, 0, 1).expand({kMembers, kRows, kClasses});
  EXPECT_NEAR(MutualInformation(logits).item<double>(), 0.0, 1e-6);
}

TEST(UniformLossTest, UniformLogits_IsTheEntropyOfUniform) {
  EXPECT_NEAR(UniformLoss(at::zeros({2, 3, kClasses})).item<double>(), std::log(4.0), 1e-6);
  EXPECT_GT(UniformLoss(RandomLogits(3)).item<double>(), std::log(4.0) + 0.1);
}

TEST(DistillationLossTest, EachMember_LearnsFromItsOwnTeacher) {
  const at::Tensor teachers = RandomLogits(4);
  EXPECT_NEAR(DistillationLoss(teachers, teachers).item<double>(), 0.0, 1e-6);
  EXPECT_GT(DistillationLoss(teachers, teachers.roll(1, 0)).item<double>(), 0.1);
  // KL of one pair of distributions by hand: (1/2, 1/2) against (3/4, 1/4).
  const at::Tensor even = at::zeros({1, 1, 2});
  const at::Tensor odd = at::tensor({std::log(3.0f), 0.0f}).view({1, 1, 2});
  EXPECT_NEAR(DistillationLoss(even, odd).item<double>(),
              0.5 * std::log(0.5 / 0.75) + 0.5 * std::log(0.5 / 0.25), 1e-6);
}

}  // namespace
}  // namespace hydra::train
