#include "model/builder/zeroshot/vilu.h"

#include <c10/core/GradMode.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/rng.h"
#include "model/metrics/detection.h"

namespace hydra::builder {
namespace {

using testing::HasSubstr;

at::Tensor UnitRows(int64_t rows, int64_t width, uint64_t seed) {
  base::Rng rng(seed);
  at::Tensor values = at::empty({rows, width}, at::kFloat);
  for (int64_t i = 0; i < values.numel(); ++i)
    values.data_ptr<float>()[i] = static_cast<float>(rng.Normal());
  return values / values.norm(2, 1, true);
}

// A classifier that is wrong wherever the first coordinate of the image is positive.
struct Toy {
  ViluBatch rows;
  at::Tensor labels, errors;
};

Toy MakeToy(int64_t rows, uint64_t seed) {
  Toy toy{.rows = {.images = UnitRows(rows, 6, seed), .texts = UnitRows(3, 6, 9), .scale = 10.0}};
  toy.rows.predicted = at::matmul(toy.rows.images, toy.rows.texts.t()).argmax(1);
  const at::Tensor wrong = toy.rows.images.select(1, 0).gt(0.3).to(at::kLong);
  toy.labels = (toy.rows.predicted + wrong).remainder(3);
  toy.errors = wrong.to(at::kFloat);
  return toy;
}

double Auroc(const ViluModel& model, const Toy& toy) {
  const at::Tensor scores = ViluLogits(model, toy.rows).to(at::kDouble);
  std::vector<double> right, wrong;
  for (int64_t i = 0; i < scores.size(0); ++i)
    (toy.errors[i].item<float>() > 0 ? wrong : right).push_back(scores[i].item<double>());
  return metrics::MeasureDetection(right, wrong)->auroc;
}

TEST(TrainViluTest, ErrorsInOneHalfOfTheSpace_ArePredictedOnNewRows) {
  const Toy train = MakeToy(600, 1), fresh = MakeToy(300, 2);
  const auto model = TrainVilu(train.rows, train.labels,
                               {.steps = 150, .batch = 64, .lr = 2e-3, .frozen_steps = 50});
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_GT(Auroc(*model, fresh), 0.95);
  EXPECT_LT(Auroc(MakeVilu(6, 0), fresh), 0.9);
}

TEST(TrainViluTest, FrozenSteps_LeaveTheMapsAtTheIdentity) {
  const Toy toy = MakeToy(100, 1);
  const auto frozen = TrainVilu(toy.rows, toy.labels, {.steps = 3, .batch = 50, .frozen_steps = 3});
  const auto moved = TrainVilu(toy.rows, toy.labels, {.steps = 3, .batch = 50, .frozen_steps = 0});
  ASSERT_TRUE(frozen.ok() && moved.ok());
  EXPECT_TRUE(frozen->image_map.equal(at::eye(6)));
  EXPECT_FALSE(moved->image_map.equal(at::eye(6)));
  EXPECT_FALSE(moved->text_map.equal(at::eye(6)));
}

TEST(TrainViluTest, SameSeed_SameParameters) {
  const Toy toy = MakeToy(100, 1);
  const ViluOptions options{.steps = 5, .batch = 30, .frozen_steps = 2, .seed = 4};
  const auto first = TrainVilu(toy.rows, toy.labels, options);
  const auto second = TrainVilu(toy.rows, toy.labels, options);
  ASSERT_TRUE(first.ok() && second.ok());
  for (size_t i = 0; i < first->Parameters().size(); ++i)
    EXPECT_TRUE(first->Parameters()[i].equal(second->Parameters()[i]));
}

TEST(TrainViluTest, NothingToLearnFrom_IsRefused) {
  const Toy toy = MakeToy(20, 1);
  const auto none = TrainVilu(toy.rows, toy.rows.predicted, {});
  EXPECT_EQ(none.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(none.status().message()), HasSubstr("20 rows without an error"));
  EXPECT_FALSE(TrainVilu(toy.rows, toy.labels, {.steps = 0}).ok());
}

TEST(ViluLossTest, Gradients_AgreeWithFiniteDifferences) {
  const c10::AutoGradMode gradients(true);
  Toy toy = MakeToy(12, 3);
  toy.rows.images = toy.rows.images.to(at::kDouble);
  toy.rows.texts = toy.rows.texts.to(at::kDouble);
  ViluModel model = MakeVilu(6, 1);
  model.image_map = model.image_map.to(at::kDouble).requires_grad_(true);
  model.text_map = model.text_map.to(at::kDouble).requires_grad_(true);
  for (auto& [weight, bias] : model.layers) {
    weight = weight.to(at::kDouble).requires_grad_(true);
    bias = bias.to(at::kDouble).requires_grad_(true);
  }
  const at::Tensor errors = toy.errors.to(at::kDouble);
  ViluLoss(model, toy.rows, errors).backward();
  const c10::AutoGradMode off(false);
  constexpr double kStep = 1e-6;
  for (at::Tensor parameter : model.Parameters()) {
    at::Tensor flat = parameter.view(-1);
    const int64_t place = flat.numel() / 2;
    const double value = flat[place].item<double>();
    const auto loss_at = [&](double moved) {
      flat[place] = moved;
      return ViluLoss(model, toy.rows, errors).item<double>();
    };
    const double slope = (loss_at(value + kStep) - loss_at(value - kStep)) / (2 * kStep);
    flat[place] = value;
    EXPECT_NEAR(parameter.grad().view(-1)[place].item<double>(), slope, 1e-7);
  }
}

TEST(ViluLossTest, ErrorsWeighMore_WhereTheyAreRare) {
  const Toy toy = MakeToy(10, 3);
  ViluModel model = MakeVilu(6, 1);
  for (auto& [weight, bias] : model.layers) {  // every logit is 0, every term log 2
    weight.zero_();
    bias.zero_();
  }
  at::Tensor errors = at::zeros({10});
  errors[3] = 1.0;  // accuracy 0.9: the weight is log(1 + 9)
  EXPECT_NEAR(ViluLoss(model, toy.rows, errors).item<double>(),
              std::log(2.0) * (9.0 + std::log(10.0)) / 10.0, 1e-6);
}

}  // namespace
}  // namespace hydra::builder
