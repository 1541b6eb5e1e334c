#include "model/uncertainty/softmax.h"

#include <cmath>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace hydra::uncertainty {
namespace {

EnsembleShape Shape(size_t members, size_t batch, size_t classes) {
  return EnsembleShape::Create(members, batch, classes).value();
}

TEST(SoftmaxTest, KnownLogits_GiveKnownProbabilities) {
  const auto probs = Softmax(std::vector<float>{0.0f, std::log(3.0f)}, Shape(1, 1, 2), 1.0);
  ASSERT_TRUE(probs.ok());
  EXPECT_FLOAT_EQ((*probs)[0], 0.25f);
  EXPECT_FLOAT_EQ((*probs)[1], 0.75f);
}

TEST(SoftmaxTest, Temperature_DividesTheLogits) {
  const auto warm = Softmax(std::vector<float>{0.0f, 2.0f}, Shape(1, 1, 2), 2.0);
  const auto plain = Softmax(std::vector<float>{0.0f, 1.0f}, Shape(1, 1, 2), 1.0);
  ASSERT_TRUE(warm.ok() && plain.ok());
  EXPECT_EQ(*warm, *plain);
}

TEST(SoftmaxTest, HugeLogits_DoNotOverflow) {
  const auto probs = Softmax(std::vector<float>{3e38f, -3e38f}, Shape(1, 1, 2), 1.0);
  ASSERT_TRUE(probs.ok()) << probs.status();
  EXPECT_FLOAT_EQ((*probs)[0], 1.0f);
}

TEST(SoftmaxTest, BadTemperatureSizeOrLogit_IsRefused) {
  const std::vector<float> logits = {0.0f, 1.0f};
  EXPECT_FALSE(Softmax(logits, Shape(1, 1, 2), 0.0).ok());
  EXPECT_FALSE(Softmax(logits, Shape(1, 1, 2), std::numeric_limits<double>::infinity()).ok());
  EXPECT_FALSE(Softmax(logits, Shape(2, 1, 2), 1.0).ok());
  EXPECT_FALSE(Softmax(std::vector<float>{NAN, 0.0f}, Shape(1, 1, 2), 1.0).ok());
  EXPECT_FALSE(Softmax(std::vector<float>{-INFINITY, 0.0f}, Shape(1, 1, 2), 1.0).ok());
}

TEST(LogSumExpTest, EqualLogits_AddLogOfCount) {
  EXPECT_NEAR(LogSumExp(std::vector<float>(4, 5.0f), 1.0), 5.0 + std::log(4.0), 1e-12);
}

}  // namespace
}  // namespace hydra::uncertainty
