#include "model/nn/pass/forward.h"

#include <c10/core/GradMode.h>

#include <vector>

#include "model/base/check.h"
#include "model/nn/pass/embed.h"
#include "model/nn/pass/head.h"
#include "model/nn/pass/layer.h"
#include "model/nn/pass/reader_layer.h"
#include "model/nn/readers.h"

namespace hydra::nn {
namespace {

// For every stream of `layer` the stream of `before` that it continues.
std::vector<int64_t> ParentStreams(const artifact::LayerPlan& before,
                                   const artifact::LayerPlan& layer) {
  std::vector<int64_t> parents;
  for (const std::vector<size_t>& members : layer.streams) {
    for (size_t p = 0; p < before.streams.size(); ++p) {
      for (const size_t m : before.streams[p]) {
        if (m == members.front()) parents.push_back(static_cast<int64_t>(p));
      }
    }
  }
  return parents;
}

// x: [S_before, R, D] -> [S, R, D], copying a stream only where it splits.
at::Tensor SplitStreams(const at::Tensor& x, const artifact::LayerPlan& before,
                        const artifact::LayerPlan& layer) {
  if (before.streams.size() == layer.streams.size() || layer.shared_qkv) return x;
  return x.index_select(0, at::tensor(ParentStreams(before, layer), at::kLong));
}

// Whether the last layer's other tokens are left out.
bool LeavesOthersOut(const Network& network, const ForwardOptions& options) {
  const bool watched = options.tap || options.observe || options.observe_attention;
  const bool first_tokens = network.pooling == "cls" || network.pooling == "cls_distillation";
  return first_tokens && !network.causal && !watched && !options.plain &&
         !c10::GradMode::is_enabled();
}

// The trunk's tokens through its layers; the readers beside it.
at::Tensor ForwardReaders(const Pass& pass, at::Tensor x) {
  const Network& network = pass.network;
  const ForwardOptions& options = pass.options;
  ForwardOptions still = options;
  if (options.frozen_trunk) still.dropout = 0.0;
  const Pass trunk{network, pass.sequences, still};
  const size_t first = network.reader->first_layer, layers = network.plan.size();
  at::Tensor readers;
  for (size_t l = 0; l < layers; ++l) {
    if (options.observe) options.observe(l, x);
    if (l == first) readers = StartReaders(pass, x);
    at::Tensor qkv;
    {
      const c10::AutoGradMode gradients(c10::GradMode::is_enabled() && !options.frozen_trunk);
      qkv = TrunkProjections(trunk, l, x);
      if (l + 1 < layers) x = TrunkLayer(trunk, l, x, qkv);
    }
    if (l >= first) readers = ReaderLayer(pass, l, readers, qkv);
  }
  return AnswerFrom(network, readers, options.dropout);
}

}  // namespace

at::Tensor Forward(const Network& network, const Input& input, const ForwardOptions& options) {
  const Sequences sequences = LayOut(TokenCounts(network, input));
  const at::Tensor embedded = Embed(network, input, sequences).unsqueeze(0);
  if (network.reader.has_value()) {
    const at::Tensor x = options.frozen_trunk ? embedded.detach() : Dropout(embedded, options);
    return ForwardReaders({network, sequences, options}, x);
  }
  return ForwardFrom(network, 0, Dropout(embedded, options), sequences, options);
}

at::Tensor ForwardFrom(const Network& network, size_t first, at::Tensor x,
                       const Sequences& sequences, const ForwardOptions& options) {
  HYDRA_CHECK(!network.reader.has_value());
  const Pass pass{network, sequences, options};
  artifact::LayerPlan before =
      first == 0 ? FullPlan(network.geometry, network.members).front() : network.plan[first - 1];
  for (size_t l = first; l < network.plan.size(); ++l) {
    if (options.observe) options.observe(l, x);
    x = SplitStreams(x, before, network.plan[l]);
    if (l + 1 == network.plan.size() && LeavesOthersOut(network, options)) {
      return AnswerFrom(network, ByMember(network, AnswerLayer(pass, l, x)), options.dropout);
    }
    x = StreamLayer(pass, l, x);
    before = network.plan[l];
  }
  if (options.observe) options.observe(network.plan.size(), x);
  return Answer(network, x, sequences, options.dropout);
}

}  // namespace hydra::nn
