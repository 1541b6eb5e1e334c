#include "model/builder/interpreting/head_effects.h"

#include <cmath>
#include <numeric>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/ensemble/prune.h"
#include "model/nn/pass/forward.h"
#include "tests/unit/model/random_network.h"

namespace hydra::builder {
namespace {

using testing::TinyGeometry;
using testing::WideNetwork;

constexpr size_t kRows = 21;  // more than a batch

train::ExampleSet Labelled() {
  train::ExampleSet set{.mean = {0.4}, .stddev = {0.2}};
  base::Rng rng(3);
  set.pixels = at::empty({static_cast<int64_t>(kRows), 1, 12, 12}, at::kByte);
  for (int64_t i = 0; i < set.pixels.numel(); ++i) {
    set.pixels.data_ptr<uint8_t>()[i] = static_cast<uint8_t>(rng.UniformBelow(256));
  }
  std::vector<int64_t> labels;
  for (size_t i = 0; i < kRows; ++i) labels.push_back(static_cast<int64_t>(rng.UniformBelow(5)));
  set.labels = at::tensor(labels, at::kLong);
  return set;
}

struct Quality {
  double nll = 0.0;
  double accuracy = 0.0;
};

// By a loop over rows, without any of the step's code.
Quality Measure(const nn::Network& network, const train::ExampleSet& set,
                const std::vector<size_t>& rows) {
  const at::Tensor logits =
      nn::Forward(network, train::Gather(set, rows))[0].to(at::kDouble).contiguous();
  const auto classes = static_cast<size_t>(logits.size(1));
  Quality quality;
  for (size_t i = 0; i < rows.size(); ++i) {
    const double* row = logits.data_ptr<double>() + i * classes;
    const auto label =
        static_cast<size_t>(set.labels[static_cast<int64_t>(rows[i])].item<int64_t>());
    double sum = 0.0;
    for (size_t c = 0; c < classes; ++c) sum += std::exp(row[c]);
    quality.nll += (std::log(sum) - row[label]) / static_cast<double>(rows.size());
    const bool hit = std::max_element(row, row + classes) == row + label;
    quality.accuracy += (hit ? 1.0 : 0.0) / static_cast<double>(rows.size());
  }
  return quality;
}

TEST(MeasureHeadEffectsTest, EveryHead_EqualsTheNetworkPrunedOfIt) {
  const nn::Network base = WideNetwork(TinyGeometry(), 1);
  const train::ExampleSet set = Labelled();
  std::vector<size_t> rows(kRows);
  std::iota(rows.begin(), rows.end(), size_t{0});
  const auto effects = MeasureHeadEffects(base, set, rows, [](size_t) {});
  ASSERT_TRUE(effects.ok()) << effects.status();
  const Quality whole = Measure(base, set, rows);
  EXPECT_EQ(effects->inputs, kRows);
  EXPECT_NEAR(effects->nll_nats, whole.nll, 1e-5);
  EXPECT_NEAR(effects->accuracy, whole.accuracy, 1e-12);
  for (size_t l = 0; l < 3; ++l) {
    for (size_t h = 0; h < 4; ++h) {
      ensemble::KeptHeads kept(3, {0, 1, 2, 3});
      std::erase(kept[l], h);
      const Quality without = Measure(ensemble::PruneHeads(base, kept).value(), set, rows);
      EXPECT_NEAR(effects->nll_change_nats[l][h], without.nll - whole.nll, 1e-4);
      EXPECT_NEAR(effects->accuracy_change[l][h], without.accuracy - whole.accuracy, 1e-12);
      EXPECT_GT(std::abs(effects->nll_change_nats[l][h]), 1e-4);
    }
  }
}

TEST(MeasureHeadEffectsTest, NothingToMeasureOn_IsRefused) {
  const nn::Network base = WideNetwork(TinyGeometry(), 1);
  train::ExampleSet set = Labelled();
  const auto measure = [&](const nn::Network& network, const std::vector<size_t>& rows) {
    return MeasureHeadEffects(network, set, rows, [](size_t) {}).status();
  };
  EXPECT_TRUE(absl::IsInvalidArgument(measure(base, {})));
  EXPECT_TRUE(
      absl::IsInvalidArgument(measure(ensemble::PruneHeads(base, {{0}, {1}, {2}}).value(), {0})));
  set.labels = at::Tensor();
  EXPECT_TRUE(absl::IsInvalidArgument(measure(base, {0})));
}

}  // namespace
}  // namespace hydra::builder
