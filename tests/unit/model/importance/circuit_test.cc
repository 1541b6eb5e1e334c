#include "model/importance/circuit.h"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/ensemble/prune.h"
#include "model/nn/checkpoint/checkpoint.h"
#include "model/nn/pass/forward.h"
#include "tests/unit/model/nn/encoder_vectors.h"
#include "tests/unit/model/random_network.h"

namespace hydra::importance {
namespace {

using ::testing::HasSubstr;
using testing::RandomImages;
using Kept = ensemble::KeptHeads;

constexpr double kExact = 1e-6;  // relative to 1 + |utility|: only the order of sums differs

// Probabilities [B, C] of the network with a zero mask, in doubles.
std::vector<std::vector<double>> Probabilities(const nn::Network& base, const nn::Input& input,
                                               const Kept& kept) {
  const c10::AutoGradMode gradients(false);
  const at::Tensor logits =
      nn::Forward(base, input, {.tap = ensemble::ZeroMask(base, kept)})[0].to(at::kDouble);
  std::vector<std::vector<double>> rows;
  for (int64_t b = 0; b < logits.size(0); ++b) {
    double sum = 0.0;
    auto& row = rows.emplace_back();
    for (int64_t c = 0; c < logits.size(1); ++c) {
      row.push_back(std::exp(logits[b][c].item<double>() - logits[b].max().item<double>()));
      sum += row.back();
    }
    for (double& p : row) p /= sum;
  }
  return rows;
}

double Largest(const std::vector<double>& row) { return *std::max_element(row.begin(), row.end()); }

double SlowUtility(const nn::Network& base, const CircuitSample& sample, const Kept& kept,
                   CircuitObjective objective) {
  const auto id = Probabilities(base, sample.id, kept);
  const auto n = static_cast<double>(id.size());
  double utility = 0.0;
  if (objective == CircuitObjective::kOodAuroc) {
    const auto ood = Probabilities(base, sample.ood, kept);
    for (const auto& a : id) {
      for (const auto& b : ood) {
        utility += Largest(a) > Largest(b) ? 1.0 : Largest(a) == Largest(b) ? 0.5 : 0.0;
      }
    }
    return utility / n / static_cast<double>(ood.size());
  }
  for (size_t i = 0; i < id.size(); ++i) {
    const auto y = static_cast<size_t>(sample.labels[static_cast<int64_t>(i)].item<int64_t>());
    if (objective == CircuitObjective::kIdNll) utility += std::log(id[i][y]);
    for (size_t c = 0; objective == CircuitObjective::kBrier && c < id[i].size(); ++c)
      utility -= (id[i][c] - (c == y)) * (id[i][c] - (c == y));
  }
  return utility / n;
}

Kept Without(Kept kept, size_t layer, size_t head) {
  auto& heads = kept[layer];
  heads.erase(std::remove(heads.begin(), heads.end(), head), heads.end());
  return kept;
}

std::vector<double> SlowDrops(const nn::Network& base, const CircuitSample& sample,
                              const Kept& kept, size_t layer, CircuitObjective objective) {
  const double intact = SlowUtility(base, sample, kept, objective);
  std::vector<double> drops;
  for (size_t h = 0; h < base.geometry.heads; ++h)
    drops.push_back(intact - SlowUtility(base, sample, Without(kept, layer, h), objective));
  return drops;
}

std::vector<double> SlowRanks(const std::vector<double>& drops) {
  std::vector<double> ranks(drops.size(), -0.5);
  for (size_t i = 0; i < drops.size(); ++i) {
    for (const double other : drops)
      ranks[i] += other < drops[i] ? 1.0 : other == drops[i] ? 0.5 : 0.0;
  }
  return ranks;
}

Circuit SlowCircuit(const nn::Network& base, const CircuitSample& sample,
                    const CircuitOptions& options) {
  Kept kept(base.geometry.layers);
  for (auto& layer : kept) {
    for (size_t h = 0; h < base.geometry.heads; ++h) layer.push_back(h);
  }
  Circuit circuit;
  for (size_t l = 0; l < base.geometry.layers; ++l) {
    std::vector<double> drops;
    if (options.objective == CircuitObjective::kRankAverage) {
      drops = SlowRanks(SlowDrops(base, sample, kept, l, CircuitObjective::kIdNll));
      const auto other = SlowRanks(SlowDrops(base, sample, kept, l, CircuitObjective::kOodAuroc));
      for (size_t h = 0; h < drops.size(); ++h) drops[h] = (drops[h] + other[h]) / 2.0;
    } else {
      drops = SlowDrops(base, sample, kept, l, options.objective);
    }
    std::vector<std::pair<double, size_t>> order;
    for (size_t h = 0; h < drops.size(); ++h) order.emplace_back(-drops[h], h);
    std::sort(order.begin(), order.end());
    auto& chosen = circuit.heads.emplace_back();
    for (size_t i = 0; i < options.keep[l]; ++i) chosen.push_back(order[i].second);
    std::sort(chosen.begin(), chosen.end());
    for (const size_t h : chosen) kept = Without(kept, l, h);
    circuit.drops.push_back(drops);
  }
  return circuit;
}

void ExpectSame(const nn::Network& base, const CircuitSample& sample,
                const CircuitOptions& options) {
  const std::string name = CircuitObjectiveName(options.objective);
  const auto fast = LocateCircuit(base, sample, options);
  ASSERT_TRUE(fast.ok()) << fast.status();
  const Circuit slow = SlowCircuit(base, sample, options);
  EXPECT_EQ(fast->heads, slow.heads) << name;
  for (size_t l = 0; l < slow.drops.size(); ++l) {
    for (size_t h = 0; h < slow.drops[l].size(); ++h) {
      EXPECT_NEAR(fast->drops[l][h], slow.drops[l][h], kExact * (1.0 + std::abs(slow.drops[l][h])))
          << name << " layer " << l << " head " << h;
    }
  }
}

at::Tensor Labels(int64_t count, int64_t classes) {
  return at::arange(count, at::kLong).remainder(classes);
}

CircuitSample Images(const artifact::Geometry& geometry, int64_t id, int64_t ood) {
  return {RandomImages(geometry, id, 3), Labels(id, static_cast<int64_t>(geometry.classes)),
          RandomImages(geometry, ood, 4) * 0.5};
}

constexpr CircuitObjective kAll[] = {CircuitObjective::kIdNll, CircuitObjective::kOodAuroc,
                                     CircuitObjective::kBrier, CircuitObjective::kRankAverage};

TEST(LocateCircuitTest, ImageNetwork_EqualsFullPassesWithZeroMasks) {
  const nn::Network base = testing::WideNetwork(testing::TinyGeometry(), 4);
  const CircuitSample sample = Images(base.geometry, 24, 20);
  for (const CircuitObjective objective : kAll) {
    ExpectSame(base, sample, {.objective = objective, .keep = {2, 1, 2}, .rows_at_once = 160});
    ExpectSame(base, sample, {.objective = objective, .keep = {0, 4, 3}});
  }
}

// Texts of mixed lengths; LayerNorm after the sums.
TEST(LocateCircuitTest, PostNormTextNetwork_EqualsFullPassesWithZeroMasks) {
  const nn::Network base = nn::ImportCheckpoint(testing::EncoderCase("bert")).value().network;
  ASSERT_FALSE(base.geometry.norm_first);
  const nn::Input texts = testing::ReadVectors("bert", "vectors.safetensors").input;
  const int64_t count = nn::InputSize(texts), half = count / 2;
  const CircuitSample sample = {nn::SliceInput(texts, 0, half),
                                Labels(half, static_cast<int64_t>(base.geometry.classes)),
                                nn::SliceInput(texts, half, count - half)};
  for (const CircuitObjective objective : kAll)
    ExpectSame(base, sample,
               {.objective = objective, .keep = std::vector<size_t>(base.geometry.layers, 1)});
}

TEST(LocateCircuitTest, TwelveLayersOfTwelveHeads_CostSeventyEightPassesOf144) {
  artifact::Geometry geometry = testing::TinyGeometry();
  geometry.layers = geometry.heads = 12;
  geometry.head_width = 2;
  const nn::Network base = testing::WideNetwork(geometry, 4);
  const CircuitSample sample = Images(geometry, 5, 3);
  const auto circuit = LocateCircuit(base, sample, {.keep = std::vector<size_t>(12, 6)});
  ASSERT_TRUE(circuit.ok()) << circuit.status();
  EXPECT_EQ(circuit->cost.candidate_layers, 78u * 12u * 8u);
  // Contexts and nothing removed: 12 + 78 layers; 11 steps.
  EXPECT_EQ(circuit->cost.shared_layers, (12u + 78u + 11u) * 8u);
}

TEST(LocateCircuitTest, LostRanks_MoveTheChoiceAndWhatFollows) {
  const nn::Network base = testing::WideNetwork(testing::TinyGeometry(), 4);
  const CircuitSample sample = Images(base.geometry, 24, 20);
  CircuitOptions options = {.keep = {2, 2, 2}};
  const auto plain = LocateCircuit(base, sample, options);
  ASSERT_TRUE(plain.ok()) << plain.status();
  options.lost_ranks.assign(3, std::vector<double>(4, 0.0));
  for (const size_t h : plain->heads[0]) options.lost_ranks[0][h] = 4.0;
  const auto moved = LocateCircuit(base, sample, options);
  ASSERT_TRUE(moved.ok()) << moved.status();
  EXPECT_EQ(moved->drops[0], plain->drops[0]);
  for (const size_t h : moved->heads[0])
    EXPECT_EQ(std::count(plain->heads[0].begin(), plain->heads[0].end(), h), 0);
  options.lost_ranks.pop_back();
  EXPECT_THAT(LocateCircuit(base, sample, options).status().message(), HasSubstr("lost ranks"));
}

TEST(LocateCircuitTest, RequestsThatMakeNoSense_AreRefused) {
  const nn::Network base = testing::WideNetwork(testing::TinyGeometry(), 4);
  const CircuitSample sample = Images(base.geometry, 6, 6);
  EXPECT_THAT(LocateCircuit(base, sample, {.keep = {2, 2}}).status().message(),
              HasSubstr("want 3 from 0 to 4"));
  EXPECT_FALSE(LocateCircuit(base, sample, {.keep = {2, 2, 5}}).ok());
  CircuitSample no_ood = Images(base.geometry, 6, 0);
  EXPECT_FALSE(LocateCircuit(base, no_ood, {.keep = {2, 2, 2}}).ok());
  EXPECT_TRUE(
      LocateCircuit(base, no_ood, {.objective = CircuitObjective::kBrier, .keep = {2, 2, 2}}).ok());
  CircuitSample wrong = sample;
  wrong.labels = wrong.labels + 3;
  EXPECT_THAT(LocateCircuit(base, wrong, {.keep = {2, 2, 2}}).status().message(),
              HasSubstr("want 0..4"));
  const nn::Network pruned = ensemble::PruneHeads(base, {{0}, {1}, {2}}).value();
  EXPECT_FALSE(LocateCircuit(pruned, sample, {.keep = {1, 1, 1}}).ok());
  nn::Network readers = base;
  readers.reader.emplace();
  EXPECT_FALSE(LocateCircuit(readers, sample, {.keep = {1, 1, 1}}).ok());
  EXPECT_THAT(ParseCircuitObjective("accuracy").status().message(), HasSubstr("want id_nll"));
  for (const CircuitObjective objective : kAll)
    EXPECT_EQ(ParseCircuitObjective(CircuitObjectiveName(objective)).value(), objective);
}

}  // namespace
}  // namespace hydra::importance
