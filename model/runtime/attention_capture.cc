#include "model/runtime/attention_capture.h"

#include <algorithm>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "model/nn/pass/forward.h"
#include "model/nn/tensor_convert.h"

namespace hydra::runtime {
namespace {

// Where the merged network computes a head.
struct Slot {
  int64_t stream = 0;
  int64_t position = 0;
};

bool Holds(const std::vector<size_t>& numbers, size_t number) {
  return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

// Where `head`, which stream `stream` keeps, is computed: with the union of all streams' heads
// where q/k/v are shared.
Slot SlotIn(const artifact::LayerPlan& plan, size_t stream, size_t head) {
  const std::vector<size_t> heads = plan.shared_qkv ? nn::UnionOfHeads(plan) : plan.heads[stream];
  return {.stream = plan.shared_qkv ? 0 : static_cast<int64_t>(stream),
          .position = std::find(heads.begin(), heads.end(), head) - heads.begin()};
}

absl::StatusOr<Slot> SlotOf(const nn::Network& network, const HeadQuery& query) {
  if (query.layer < network.plan.size()) {
    const artifact::LayerPlan& plan = network.plan[query.layer];
    for (size_t s = 0; s < plan.streams.size(); ++s) {
      if (!Holds(plan.streams[s], query.member)) continue;
      if (!Holds(plan.heads[s], query.head)) break;
      return SlotIn(plan, s, query.head);
    }
  }
  return absl::InvalidArgumentError(absl::StrCat("attention: member ", query.member,
                                                 " does not keep head ", query.head, " in layer ",
                                                 query.layer));
}

}  // namespace

absl::StatusOr<std::vector<HeadAttention>> CaptureAttention(const nn::Network& network,
                                                            const nn::Input& input,
                                                            absl::Span<const HeadQuery> queries) {
  if (network.reader.has_value()) {
    return absl::UnimplementedError("attention: readers look with their first token only");
  }
  if (nn::InputSize(input) != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("attention: got ", nn::InputSize(input), " inputs, want 1"));
  }
  std::vector<Slot> slots;
  for (const HeadQuery& query : queries) {
    HYDRA_ASSIGN_OR_RETURN(slots.emplace_back(), SlotOf(network, query));
  }
  std::vector<HeadAttention> seen(queries.size());
  nn::ForwardOptions options;
  options.observe_attention = [&](size_t layer, const nn::SequenceGroup& group,
                                  const at::Tensor& probabilities) {
    for (size_t i = 0; i < queries.size(); ++i) {
      if (queries[i].layer != layer) continue;
      seen[i].tokens = static_cast<size_t>(group.tokens);
      seen[i].probabilities =
          nn::ToFloatVector(probabilities[slots[i].stream][0][slots[i].position]);
    }
  };
  nn::Forward(network, input, options);
  return seen;
}

}  // namespace hydra::runtime
