#include "model/ensemble/tie_blocks.h"

#include <set>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "model/base/status_macros.h"
#include "model/nn/catch_torch.h"

namespace hydra::ensemble {
namespace {

using nn::LayerWeights;

constexpr at::Tensor LayerWeights::*kParameters[] = {
    &LayerWeights::norm1_weight, &LayerWeights::norm1_bias, &LayerWeights::qkv_weight,
    &LayerWeights::qkv_bias,     &LayerWeights::out_weight, &LayerWeights::out_bias,
    &LayerWeights::norm2_weight, &LayerWeights::norm2_bias, &LayerWeights::fc1_weight,
    &LayerWeights::fc1_bias,     &LayerWeights::fc2_weight, &LayerWeights::fc2_bias};

bool SameShape(const artifact::LayerPlan& a, const artifact::LayerPlan& b) {
  bool same = a.streams == b.streams && a.shared_mlp == b.shared_mlp &&
              a.shared_norms == b.shared_norms && a.shared_qkv == b.shared_qkv;
  for (size_t s = 0; same && s < a.heads.size(); ++s) same = a.heads[s].size() == b.heads[s].size();
  return same;
}

absl::Status CheckLengths(const nn::Network& base, const std::vector<size_t>& lengths) {
  if (base.reader.has_value())
    return absl::InvalidArgumentError("tie blocks: got a network of readers, want one of streams");
  size_t first = 0;
  for (const size_t length : lengths) {
    if (length == 0 || first + length > base.plan.size()) break;
    for (size_t l = first + 1; l < first + length; ++l) {
      if (!SameShape(base.plan[l], base.plan[first])) {
        return absl::InvalidArgumentError(absl::StrCat("tie blocks: layers ", first, " and ", l,
                                                       " differ in streams or heads, want equal "
                                                       "layers within a block"));
      }
    }
    first += length;
  }
  if (first == base.plan.size() && !lengths.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("tie blocks: got lengths ", absl::StrJoin(lengths, ", "),
                   ", want numbers from 1 that add up to ", base.plan.size()));
}

at::Tensor Shared(const nn::Network& base, size_t first, size_t length,
                  at::Tensor LayerWeights::*parameter, TieMode mode) {
  if (mode == TieMode::kFirst) return (base.weights.layers[first].*parameter).clone();
  std::vector<at::Tensor> parts;
  for (size_t l = first; l < first + length; ++l)
    parts.push_back(base.weights.layers[l].*parameter);
  return at::stack(parts).to(at::kDouble).mean(0).to(at::kFloat);
}

}  // namespace

absl::StatusOr<std::vector<size_t>> EvenBlocks(size_t layers, size_t blocks) {
  if (blocks == 0 || blocks > layers) {
    return absl::InvalidArgumentError(
        absl::StrCat("blocks: got ", blocks, ", want 1..", layers, ", the layers"));
  }
  std::vector<size_t> lengths(blocks, layers / blocks);
  for (size_t b = 0; b < layers % blocks; ++b) ++lengths[b];
  return lengths;
}

absl::StatusOr<nn::Network> TieBlocks(const nn::Network& base, const std::vector<size_t>& lengths,
                                      TieMode mode) {
  HYDRA_RETURN_IF_ERROR(CheckLengths(base, lengths));
  return nn::CatchTorch("tie blocks", [&]() -> absl::StatusOr<nn::Network> {
    nn::Network tied = nn::Clone(base);
    size_t first = 0;
    for (const size_t length : lengths) {
      for (const auto parameter : kParameters) {
        const at::Tensor shared = Shared(base, first, length, parameter, mode);
        for (size_t l = first; l < first + length; ++l) tied.weights.layers[l].*parameter = shared;
      }
      first += length;
    }
    return tied;
  });
}

uint64_t DistinctParameters(const nn::Network& network) {
  nn::Network view = network;
  std::set<const void*> seen;
  uint64_t count = 0;
  for (const auto& [name, parameter] : nn::NamedParameters(view)) {
    if (seen.insert(parameter->const_data_ptr()).second)
      count += static_cast<uint64_t>(parameter->numel());
  }
  return count;
}

}  // namespace hydra::ensemble
