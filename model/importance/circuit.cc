#include "model/importance/circuit.h"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <array>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "model/importance/utility.h"
#include "model/nn/catch_torch.h"
#include "model/nn/grouped.h"
#include "model/nn/pass/embed.h"
#include "model/nn/pass/forward.h"
#include "model/nn/sequences.h"

namespace hydra::importance {
namespace {

struct ObjectiveName {
  CircuitObjective objective;
  const char* name;
};
constexpr std::array<ObjectiveName, 4> kObjectives = {
    {{CircuitObjective::kIdNll, "id_nll"},
     {CircuitObjective::kOodAuroc, "ood_auroc"},
     {CircuitObjective::kBrier, "brier"},
     {CircuitObjective::kRankAverage, "rank_average"}}};

bool ReadsOod(CircuitObjective objective) {
  return objective == CircuitObjective::kOodAuroc || objective == CircuitObjective::kRankAverage;
}

absl::Status CheckBase(const nn::Network& base) {
  bool intact = base.members == 1 && base.geometry.classes > 0 && !base.reader.has_value();
  for (const artifact::LayerPlan& layer : base.plan)
    intact = intact && layer.heads.front().size() == base.geometry.heads;
  if (intact) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("circuit: got ", base.members, " members and ", base.geometry.classes,
                   " classes, want one member with every head and a classifier"));
}

absl::Status CheckSample(const nn::Network& base, const CircuitSample& sample,
                         CircuitObjective objective) {
  const int64_t count = nn::InputSize(sample.id);
  const int64_t ood = ReadsOod(objective) ? nn::InputSize(sample.ood) : 1;
  if (count == 0 || ood == 0 || sample.labels.dim() != 1 || sample.labels.size(0) != count) {
    return absl::InvalidArgumentError(absl::StrCat(
        "circuit: got ", count, " inputs with ", sample.labels.numel(), " labels and ", ood,
        " out of distribution, want as many labels as inputs and "
        "at least 1 of each"));
  }
  const int64_t low = sample.labels.min().item<int64_t>();
  const int64_t high = sample.labels.max().item<int64_t>();
  if (low >= 0 && high < static_cast<int64_t>(base.geometry.classes)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("circuit: labels: got ", low, "..", high,
                                                 ", want 0..", base.geometry.classes - 1));
}

absl::Status CheckOptions(const nn::Network& base, const CircuitOptions& options) {
  const size_t layers = base.geometry.layers, heads = base.geometry.heads;
  const auto fits = [&](size_t keep) { return keep <= heads; };
  if (options.keep.size() != layers ||
      !std::all_of(options.keep.begin(), options.keep.end(), fits)) {
    return absl::InvalidArgumentError(absl::StrCat("circuit: keep: got ", options.keep.size(),
                                                   " numbers, want ", layers, " from 0 to ",
                                                   heads));
  }
  bool square = options.lost_ranks.empty() || options.lost_ranks.size() == layers;
  for (const std::vector<double>& row : options.lost_ranks) square = square && row.size() == heads;
  if (square) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("circuit: lost ranks: got ",
                                                 options.lost_ranks.size(), " layers, want ",
                                                 layers, " of ", heads, " heads"));
}

// Some inputs, at the layer that is scored.
struct Part {
  nn::Sequences sequences;
  at::Tensor labels;   // undefined: out of distribution
  at::Tensor hidden;   // the layer's input, chosen heads of earlier layers removed: [1, R, D]
  at::Tensor context;  // of its heads: [1, R, H, d_h]

  auto inputs() const { return static_cast<uint64_t>(sequences.batch); }
};

// The network from the sum after layer `first`'s attention on: its attention adds nothing.
nn::Network AfterAttention(const nn::Network& base, size_t first) {
  nn::Network rest = base;  // shares its tensors
  rest.plan[first].heads = {{}};
  nn::LayerWeights& layer = rest.weights.layers[first];
  layer.qkv_weight = layer.qkv_weight.narrow(1, 0, 0);
  layer.qkv_bias = layer.qkv_bias.narrow(1, 0, 0);
  layer.out_weight = layer.out_weight.narrow(2, 0, 0);
  layer.out_bias = at::zeros_like(layer.out_bias);
  return rest;
}

// Without the layers after `layer`.
nn::Network FirstLayers(nn::Network network, size_t layer) {
  network.plan.resize(layer + 1);
  return network;
}

class Search {
 public:
  Search(const nn::Network& base, const CircuitOptions& options)
      : base_(base), options_(options), variants_(base.geometry.heads + 1) {}

  void Add(const nn::Input& input, const at::Tensor& labels) {
    const std::vector<int64_t> tokens = nn::TokenCounts(base_, input);
    const int64_t longest = *std::max_element(tokens.begin(), tokens.end());
    const auto rows = static_cast<int64_t>(options_.rows_at_once / variants_);
    const int64_t batch = std::max<int64_t>(1, rows / longest), count = nn::InputSize(input);
    for (int64_t start = 0; start < count; start += batch) {
      const int64_t size = std::min(batch, count - start);
      const nn::Input slice = nn::SliceInput(input, start, size);
      Part& part = parts_.emplace_back();
      part.sequences = nn::LayOut(nn::TokenCounts(base_, slice));
      if (labels.defined()) part.labels = labels.narrow(0, start, size);
      part.hidden = nn::Embed(base_, slice, part.sequences).unsqueeze(0);
    }
  }

  absl::StatusOr<Circuit> Run() {
    for (size_t l = 0; l < base_.geometry.layers; ++l) {
      HYDRA_ASSIGN_OR_RETURN(std::vector<double> drops, Score(l));
      const std::vector<double> lost = options_.lost_ranks.empty()
                                           ? std::vector<double>(base_.geometry.heads, 0.0)
                                           : options_.lost_ranks[l];
      circuit_.heads.push_back(BestHeads(drops, lost, options_.keep[l]));
      circuit_.drops.push_back(std::move(drops));
      if (l + 1 < base_.geometry.layers) Advance(l);
    }
    return std::move(circuit_);
  }

 private:
  absl::StatusOr<std::vector<double>> Score(size_t layer) {
    const nn::Network one = FirstLayers(base_, layer), rest = AfterAttention(base_, layer);
    const uint64_t left = base_.geometry.layers - layer;
    VariantAnswers answers(variants_);
    for (Part& part : parts_) {
      ReadContext(one, layer, part);
      const at::Tensor sum = SumAfterAttention(layer, part);
      const at::Tensor variants = at::cat({sum - HeadOutputs(layer, part), sum});
      const at::Tensor logits = nn::ForwardFrom(rest, layer, variants, part.sequences);
      if (part.labels.defined()) {
        answers.AddId(logits, part.labels);
      } else {
        answers.AddOod(logits);
      }
      circuit_.cost.candidate_layers += base_.geometry.heads * left * part.inputs();
      circuit_.cost.shared_layers += (left + 1) * part.inputs();
    }
    return answers.Drops(options_.objective);
  }

  void ReadContext(const nn::Network& one, size_t layer, Part& part) const {
    nn::ForwardOptions forward;
    forward.tap = [&](size_t l, at::Tensor context) {
      if (l == layer) part.context = context;
      return context;
    };
    nn::ForwardFrom(one, layer, part.hidden, part.sequences, forward);
  }

  at::Tensor SumAfterAttention(size_t layer, const Part& part) const {
    const nn::LayerWeights& weights = base_.weights.layers[layer];
    const at::Tensor context = part.context.reshape({1, part.sequences.rows, -1});
    return part.hidden + nn::GroupedLinear(context, weights.out_weight, weights.out_bias);
  }

  // What every head adds through the output projection: [H, R, D].
  at::Tensor HeadOutputs(size_t layer, const Part& part) const {
    const auto heads = static_cast<int64_t>(base_.geometry.heads);
    const auto width = static_cast<int64_t>(base_.geometry.head_width);
    const at::Tensor out =
        base_.weights.layers[layer].out_weight[0].view({-1, heads, width}).permute({1, 2, 0});
    return at::bmm(part.context[0].transpose(0, 1), out);
  }

  // Moves every part to the input of the next layer, without the heads chosen in this one.
  void Advance(size_t layer) {
    const nn::Network one = FirstLayers(AfterAttention(base_, layer), layer);
    const std::vector<size_t>& chosen = circuit_.heads[layer];
    const at::Tensor index =
        at::tensor(std::vector<int64_t>(chosen.begin(), chosen.end()), at::kLong);
    for (Part& part : parts_) {
      part.context = part.context.index_fill(2, index, 0.0);
      nn::ForwardOptions forward;
      at::Tensor next;
      forward.observe = [&](size_t l, const at::Tensor& hidden) {
        if (l == layer + 1) next = hidden;
      };
      nn::ForwardFrom(one, layer, SumAfterAttention(layer, part), part.sequences, forward);
      part.hidden = next;
      circuit_.cost.shared_layers += part.inputs();
    }
  }

  const nn::Network& base_;
  const CircuitOptions& options_;
  const size_t variants_;  // without each head, and with all
  std::vector<Part> parts_;
  Circuit circuit_;
};

}  // namespace

absl::StatusOr<CircuitObjective> ParseCircuitObjective(const std::string& name) {
  for (const ObjectiveName& entry : kObjectives) {
    if (name == entry.name) return entry.objective;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "circuit objective: got \"", name, "\", want id_nll, ood_auroc, brier or rank_average"));
}

std::string CircuitObjectiveName(CircuitObjective objective) {
  return std::find_if(kObjectives.begin(), kObjectives.end(),
                      [&](const ObjectiveName& entry) { return entry.objective == objective; })
      ->name;
}

absl::StatusOr<Circuit> LocateCircuit(const nn::Network& base, const CircuitSample& sample,
                                      const CircuitOptions& options) {
  HYDRA_RETURN_IF_ERROR(CheckBase(base));
  HYDRA_RETURN_IF_ERROR(CheckSample(base, sample, options.objective));
  HYDRA_RETURN_IF_ERROR(CheckOptions(base, options));
  return nn::CatchTorch("circuit", [&]() -> absl::StatusOr<Circuit> {
    const c10::AutoGradMode gradients(false);
    Search search(base, options);
    search.Add(sample.id, sample.labels);
    if (ReadsOod(options.objective)) search.Add(sample.ood, {});
    return search.Run();
  });
}

}  // namespace hydra::importance
