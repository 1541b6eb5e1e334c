#include "model/artifact/codec/layer_checks.h"

#include "absl/strings/str_cat.h"

namespace hydra::artifact::codec {
namespace {

// stream_of[m], or an error when a member is in no stream or in two.
std::vector<size_t> StreamOfMembers(const JsonNode& node, const LayerPlan& plan, size_t members) {
  std::vector<size_t> stream_of(members, plan.streams.size());
  for (size_t s = 0; s < plan.streams.size(); ++s) {
    for (const size_t m : plan.streams[s]) {
      if (stream_of[m] != plan.streams.size()) {
        node.Fail(absl::StrCat("got member ", m, " in streams ", stream_of[m], " and ", s,
                               ", want it in one"));
      }
      stream_of[m] = s;
    }
  }
  for (size_t m = 0; m < members; ++m) {
    if (stream_of[m] != plan.streams.size()) continue;
    node.Fail(absl::StrCat("got no stream for member ", m, ", want one"));
    stream_of[m] = 0;
  }
  return stream_of;
}

// Members that differ stay different: their activations do from there on.
void CheckRefines(const JsonNode& node, const std::vector<size_t>& before, const LayerPlan& plan) {
  for (size_t s = 0; s < plan.streams.size(); ++s) {
    const std::vector<size_t>& stream = plan.streams[s];
    for (const size_t m : stream) {
      if (before[m] == before[stream.front()]) continue;
      node.Fail(absl::StrCat("got members ", stream.front(), " and ", m, " together in stream ", s,
                             ", which differ in the layer before"));
    }
  }
}

}  // namespace

void CheckAscending(const JsonNode& node, const std::vector<size_t>& values) {
  for (size_t i = 1; i < values.size(); ++i) {
    if (values[i] > values[i - 1]) continue;
    node.Fail(absl::StrCat("got ", values[i], " after ", values[i - 1], ", want ascending values"));
  }
}

void CheckLayers(const JsonNode& layers, const JsonNode& branch_layer, const Manifest& manifest) {
  const size_t count = manifest.layers.size();
  const std::vector<JsonNode> nodes = layers.Items({0, count});
  if (nodes.size() != count || branch_layer.failed()) return;
  std::vector<size_t> before(manifest.members, 0);
  size_t branch = count;
  for (size_t l = 0; l < count; ++l) {
    const LayerPlan& plan = manifest.layers[l];
    const bool one_input = branch == count;
    const std::vector<size_t> stream_of = StreamOfMembers(nodes[l], plan, manifest.members);
    CheckRefines(nodes[l], before, plan);
    if (plan.shared_qkv && !one_input) {
      nodes[l].Fail("got shared_qkv, want it only where the layer's input is one stream");
    }
    if (one_input && plan.streams.size() > 1) branch = l;
    before = stream_of;
  }
  if (manifest.branch_layer != branch) {
    branch_layer.Fail(absl::StrCat("got ", manifest.branch_layer, ", want ", branch,
                                   ", the first layer with more than one stream"));
  }
}

}  // namespace hydra::artifact::codec
