#include "model/builder/interpreting/head_effects.h"

#include <ATen/ops/log_softmax.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "model/nn/catch_torch.h"
#include "model/nn/pass/embed.h"
#include "model/nn/pass/forward.h"

namespace hydra::builder {
namespace {

// Inputs in a batch, and variants of it that run together: 64 inputs' activations at once.
constexpr size_t kBatch = 16;
constexpr int64_t kVariants = 4;

// Sums over rows.
struct Score {
  double nll = 0.0;
  double hits = 0.0;
};

// logits: [B, C] -> their score.
Score ScoreOf(const at::Tensor& logits, const at::Tensor& labels) {
  const at::Tensor log_probs = at::log_softmax(logits.to(at::kDouble), -1);
  return {.nll = -log_probs.gather(1, labels.unsqueeze(1)).sum().item<double>(),
          .hits = static_cast<double>(logits.argmax(-1).eq(labels).sum().item<int64_t>())};
}

struct Scores {
  explicit Scores(const artifact::Geometry& geometry)
      : without(geometry.layers, std::vector<Score>(geometry.heads)) {}

  Score whole;
  std::vector<std::vector<Score>> without;  // [layers][heads]
};

void Add(const Score& score, Score& sum) {
  sum.nll += score.nll;
  sum.hits += score.hits;
}

// Heads [first, first + count) of a layer.
struct HeadRange {
  size_t layer = 0;
  int64_t first = 0;
  int64_t count = 0;
};

// Each head of `range` is zeroed in a variant of its own: [count, B, C].
at::Tensor LogitsWithout(const nn::Network& base, const HeadRange& range, const at::Tensor& hidden,
                         const nn::Sequences& sequences) {
  const auto heads = static_cast<int64_t>(base.geometry.heads);
  at::Tensor mask = at::ones({range.count, 1, heads, 1});
  for (int64_t v = 0; v < range.count; ++v) mask[v][0][range.first + v] = 0.0;
  nn::ForwardOptions options;
  options.tap = [&](size_t l, at::Tensor context) {
    return l == range.layer ? context * mask.to(context.scalar_type()) : context;
  };
  const at::Tensor variants = hidden.expand({range.count, -1, -1}).contiguous();
  return nn::ForwardFrom(base, range.layer, variants, sequences, options);
}

void MeasureBatch(const nn::Network& base, const nn::Input& input, const at::Tensor& labels,
                  Scores& scores) {
  std::vector<at::Tensor> hidden;
  nn::ForwardOptions options;
  options.observe = [&](size_t, const at::Tensor& x) { hidden.push_back(x); };
  Add(ScoreOf(nn::Forward(base, input, options)[0], labels), scores.whole);
  const nn::Sequences sequences = nn::LayOut(nn::TokenCounts(base, input));
  const auto heads = static_cast<int64_t>(base.geometry.heads);
  for (size_t l = 0; l < base.geometry.layers; ++l) {
    for (int64_t first = 0; first < heads; first += kVariants) {
      const HeadRange range{
          .layer = l, .first = first, .count = std::min(kVariants, heads - first)};
      const at::Tensor logits = LogitsWithout(base, range, hidden[l], sequences);
      for (int64_t v = 0; v < range.count; ++v) {
        Add(ScoreOf(logits[v], labels), scores.without[l][static_cast<size_t>(first + v)]);
      }
    }
  }
}

artifact::HeadEffects EffectsOf(const Scores& scores, size_t inputs) {
  const auto n = static_cast<double>(inputs);
  artifact::HeadEffects effects{
      .inputs = inputs, .nll_nats = scores.whole.nll / n, .accuracy = scores.whole.hits / n};
  for (const std::vector<Score>& layer : scores.without) {
    auto& nll = effects.nll_change_nats.emplace_back();
    auto& accuracy = effects.accuracy_change.emplace_back();
    for (const Score& without : layer) {
      nll.push_back((without.nll - scores.whole.nll) / n);
      accuracy.push_back((without.hits - scores.whole.hits) / n);
    }
  }
  return effects;
}

}  // namespace

absl::StatusOr<artifact::HeadEffects> MeasureHeadEffects(const nn::Network& base,
                                                         const train::ExampleSet& examples,
                                                         absl::Span<const size_t> rows,
                                                         const RowProgress& progress) {
  HYDRA_RETURN_IF_ERROR(CheckWholeBase(base, "head effects"));
  if (base.geometry.classes == 0 || rows.empty() || !examples.labels.defined()) {
    return absl::InvalidArgumentError(
        absl::StrCat("head effects: got ", base.geometry.classes, " classes and ", rows.size(),
                     " rows, want a classifier and at least 1 row with a label"));
  }
  Scores scores(base.geometry);
  for (size_t begin = 0; begin < rows.size(); begin += kBatch) {
    const auto part = rows.subspan(begin, std::min(kBatch, rows.size() - begin));
    HYDRA_RETURN_IF_ERROR(nn::CatchTorch("head effects", [&] {
      const c10::InferenceMode inference;
      MeasureBatch(base, train::Gather(examples, part), train::GatherLabels(examples, part),
                   scores);
      return absl::OkStatus();
    }));
    progress(begin + part.size());
  }
  return EffectsOf(scores, rows.size());
}

}  // namespace hydra::builder
