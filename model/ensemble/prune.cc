#include "model/ensemble/prune.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "model/nn/catch_torch.h"

namespace hydra::ensemble {
namespace {

absl::Status CheckRequest(const nn::Network& base, const KeptHeads& kept) {
  if (base.members != 1 || kept.size() != base.plan.size()) {
    return absl::InvalidArgumentError(absl::StrCat("prune heads: got ", base.members,
                                                   " members and ", kept.size(),
                                                   " layers, want 1 and ", base.plan.size()));
  }
  for (size_t l = 0; l < kept.size(); ++l) {
    const size_t heads = base.geometry.heads;
    if (base.plan[l].heads.front().size() != heads) {
      return absl::InvalidArgumentError(
          absl::StrCat("prune heads: layer ", l, " is already pruned"));
    }
    for (size_t i = 0; i < kept[l].size(); ++i) {
      if (kept[l][i] < heads && (i == 0 || kept[l][i - 1] < kept[l][i])) continue;
      return absl::InvalidArgumentError(absl::StrCat("prune heads: layer ", l, ": got head ",
                                                     kept[l][i], " at position ", i,
                                                     ", want ascending heads below ", heads));
    }
  }
  return absl::OkStatus();
}

at::Tensor Index(const std::vector<size_t>& heads) {
  return at::tensor(std::vector<int64_t>(heads.begin(), heads.end()), at::kLong);
}

void SliceLayer(const artifact::Geometry& geometry, const std::vector<size_t>& kept,
                nn::LayerWeights& layer) {
  const auto heads = static_cast<int64_t>(geometry.heads);
  const auto head_width = static_cast<int64_t>(geometry.head_width);
  const auto width = static_cast<int64_t>(geometry.width);
  const int64_t inner = static_cast<int64_t>(kept.size()) * head_width;
  const at::Tensor index = Index(kept);
  layer.qkv_weight = layer.qkv_weight.view({3, heads, head_width, width})
                         .index_select(1, index)
                         .reshape({1, 3 * inner, width});
  layer.qkv_bias =
      layer.qkv_bias.view({3, heads, head_width}).index_select(1, index).reshape({1, 3 * inner});
  layer.out_weight = layer.out_weight.view({width, heads, head_width})
                         .index_select(1, index)
                         .reshape({1, width, inner});
}

}  // namespace

absl::StatusOr<nn::Network> PruneHeads(const nn::Network& base, const KeptHeads& kept) {
  HYDRA_RETURN_IF_ERROR(CheckRequest(base, kept));
  return nn::CatchTorch("prune heads", [&]() -> absl::StatusOr<nn::Network> {
    nn::Network pruned = nn::Clone(base);
    for (size_t l = 0; l < kept.size(); ++l) {
      pruned.plan[l].heads = {kept[l]};
      SliceLayer(base.geometry, kept[l], pruned.weights.layers[l]);
    }
    HYDRA_RETURN_IF_ERROR(nn::CheckNetwork(pruned));
    return pruned;
  });
}

nn::ContextTap ZeroMask(const nn::Network& base, const KeptHeads& kept) {
  std::vector<at::Tensor> masks;
  for (const std::vector<size_t>& heads : kept) {
    at::Tensor mask = at::zeros({static_cast<int64_t>(base.geometry.heads), 1});
    for (const size_t h : heads) mask[static_cast<int64_t>(h)] = 1.0;
    masks.push_back(mask);
  }
  return [masks](size_t layer, at::Tensor context) { return context * masks[layer]; };
}

}  // namespace hydra::ensemble
