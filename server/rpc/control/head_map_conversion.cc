#include "server/rpc/control/head_map_conversion.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "model/artifact/codec/head_overlap.h"
#include "model/base/status_macros.h"
#include "server/rpc/wire/request_check.h"

namespace hydra::rpc {
namespace {

using Heads = std::vector<size_t>;

size_t StreamOf(const artifact::LayerPlan& plan, size_t member) {
  for (size_t s = 0; s < plan.streams.size(); ++s) {
    const std::vector<size_t>& members = plan.streams[s];
    if (std::find(members.begin(), members.end(), member) != members.end()) return s;
  }
  return 0;  // a verified manifest's streams are a partition of the members
}

const Heads& HeadsOf(const artifact::LayerPlan& plan, size_t member) {
  return plan.heads[StreamOf(plan, member)];
}

void FillFacts(const artifact::HeadMap& map, size_t layer, v1::LayerHeads& out) {
  for (size_t h = 0; h < map.heads; ++h) {
    v1::HeadFacts& facts = *out.add_heads();
    facts.set_head(static_cast<uint32_t>(h));
    for (const artifact::HeadImportance& importance : map.importance) {
      const std::string key = importance.member
                                  ? absl::StrCat(importance.method, "/", *importance.member)
                                  : importance.method;
      (*facts.mutable_importance())[key] = importance.values[layer][h];
    }
    if (!map.clusters.empty()) facts.set_cluster(static_cast<uint32_t>(map.clusters[layer][h]));
    if (!map.effects) continue;
    v1::HeadEffect& effect = *facts.mutable_effect();
    effect.set_nll_change_nats(map.effects->nll_change_nats[layer][h]);
    effect.set_accuracy_change(map.effects->accuracy_change[layer][h]);
  }
}

void FillLayer(const policy::ServedBundle& bundle, size_t layer, v1::LayerHeads& out) {
  const artifact::LayerPlan& plan = bundle.manifest.layers[layer];
  out.set_layer(static_cast<uint32_t>(layer));
  out.set_shared_mlp(plan.shared_mlp);
  out.set_shared_norms(plan.shared_norms);
  for (size_t m = 0; m < bundle.manifest.members; ++m) {
    v1::MemberHeads& member = *out.add_members();
    member.set_member(static_cast<uint32_t>(m));
    member.set_stream(static_cast<uint32_t>(StreamOf(plan, m)));
    for (const size_t head : HeadsOf(plan, m)) member.add_kept(static_cast<uint32_t>(head));
  }
  if (bundle.head_map) FillFacts(*bundle.head_map, layer, out);
}

std::vector<std::vector<Heads>> KeptHeads(const artifact::Manifest& manifest) {
  std::vector<std::vector<Heads>> kept;
  for (const artifact::LayerPlan& plan : manifest.layers) {
    std::vector<Heads>& layer = kept.emplace_back();
    for (size_t m = 0; m < manifest.members; ++m) layer.push_back(HeadsOf(plan, m));
  }
  return kept;
}

size_t SharedHeads(const std::vector<std::vector<Heads>>& kept, size_t a, size_t b) {
  Heads shared;
  for (const std::vector<Heads>& layer : kept) {
    std::set_intersection(layer[a].begin(), layer[a].end(), layer[b].begin(), layer[b].end(),
                          std::back_inserter(shared));
  }
  return shared.size();
}

size_t KeptBy(const std::vector<std::vector<Heads>>& kept, size_t member) {
  size_t count = 0;
  for (const std::vector<Heads>& layer : kept) count += layer[member].size();
  return count;
}

void FillOverlaps(const artifact::Manifest& manifest, v1::GetHeadMapResponse& out) {
  const std::vector<std::vector<Heads>> kept = KeptHeads(manifest);
  const std::vector<std::vector<double>> jaccard = artifact::codec::MemberOverlap(kept);
  for (size_t a = 0; a < manifest.members; ++a) {
    for (size_t b = a + 1; b < manifest.members; ++b) {
      const size_t shared = SharedHeads(kept, a, b);
      v1::MemberOverlap& overlap = *out.add_overlaps();
      overlap.set_first(static_cast<uint32_t>(a));
      overlap.set_second(static_cast<uint32_t>(b));
      overlap.set_shared(static_cast<uint32_t>(shared));
      overlap.set_total(static_cast<uint32_t>(KeptBy(kept, a) + KeptBy(kept, b) - shared));
      overlap.set_jaccard(jaccard[a][b]);
    }
  }
}

void FillClustering(const artifact::HeadClustering& clustering, v1::HeadClustering& out) {
  for (const artifact::HeadPlace& place : clustering.representatives) {
    v1::HeadPlace& head = *out.add_representatives();
    head.set_layer(static_cast<uint32_t>(place.layer));
    head.set_head(static_cast<uint32_t>(place.head));
  }
  out.set_davies_bouldin(clustering.davies_bouldin);
  out.set_silhouette(clustering.silhouette);
  out.set_inputs(static_cast<uint32_t>(clustering.inputs));
  out.set_affinity(clustering.affinity);
}

void FillBasis(const artifact::HeadEffects& effects, v1::HeadEffectBasis& out) {
  out.set_inputs(static_cast<uint32_t>(effects.inputs));
  out.set_nll_nats(effects.nll_nats);
  out.set_accuracy(effects.accuracy);
}

void FillProvenance(const policy::ServedBundle& bundle, v1::HeadProvenance& out) {
  out.set_base_digest(bundle.manifest.provenance.base_digest);
  out.set_tool_version(bundle.manifest.provenance.tool_version);
  out.set_seed(bundle.manifest.provenance.seed);
  if (!bundle.head_map) return;
  out.set_method(bundle.head_map->provenance.selection);
  out.set_seed(bundle.head_map->provenance.seed);
  out.set_data_digest(bundle.head_map->provenance.data_digest);
}

absl::StatusOr<std::vector<uint32_t>> ChosenLayers(absl::Span<const uint32_t> asked, size_t count) {
  if (asked.empty()) {
    std::vector<uint32_t> all(count);
    std::iota(all.begin(), all.end(), 0u);
    return all;
  }
  for (size_t i = 0; i < asked.size(); ++i) {
    if (asked[i] >= count) {
      return WrongField(absl::StrCat("layers[", i, "]"), "NO_SUCH_LAYER",
                        absl::StrCat("got ", asked[i], ", want 0..", count - 1));
    }
  }
  std::vector<uint32_t> layers(asked.begin(), asked.end());
  std::sort(layers.begin(), layers.end());
  layers.erase(std::unique(layers.begin(), layers.end()), layers.end());
  return layers;
}

}  // namespace

absl::StatusOr<v1::GetHeadMapResponse> MakeHeadMap(const policy::ServedBundle& bundle,
                                                   absl::Span<const uint32_t> layers) {
  HYDRA_ASSIGN_OR_RETURN(const std::vector<uint32_t> chosen,
                         ChosenLayers(layers, bundle.manifest.layers.size()));
  v1::GetHeadMapResponse response;
  response.mutable_model()->set_name(bundle.manifest.name);
  response.mutable_model()->set_bundle_digest(bundle.digest);
  response.set_members(static_cast<uint32_t>(bundle.manifest.members));
  response.set_heads(static_cast<uint32_t>(bundle.manifest.geometry.heads));
  for (const uint32_t layer : chosen) FillLayer(bundle, layer, *response.add_layers());
  FillOverlaps(bundle.manifest, response);
  FillProvenance(bundle, *response.mutable_provenance());
  if (!bundle.head_map) return response;
  const artifact::HeadMap& map = *bundle.head_map;
  if (map.clustering) FillClustering(*map.clustering, *response.mutable_clustering());
  if (map.effects) FillBasis(*map.effects, *response.mutable_effect_basis());
  return response;
}

}  // namespace hydra::rpc
