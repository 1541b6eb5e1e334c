#include "model/builder/interpreting/head_features.h"

#include <c10/core/InferenceMode.h>

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "model/nn/catch_torch.h"
#include "model/nn/pass/forward.h"

namespace hydra::builder {
namespace {

constexpr size_t kBatch = 16;

// Tokens [first, first + count) of an input are its patches or words.
struct Content {
  int64_t first = 0;
  int64_t count = 0;
};

Content ContentOf(const artifact::Geometry& geometry, int64_t tokens) {
  if (geometry.vocabulary > 0) return {.first = 1, .count = std::max<int64_t>(tokens - 2, 0)};
  const size_t rows = geometry.image_height / geometry.patch_size;
  const auto patches = static_cast<int64_t>(rows * (geometry.image_width / geometry.patch_size));
  return {.first = tokens - patches, .count = patches};
}

int64_t TokensOf(const nn::Input& input, int64_t index, int64_t longest) {
  const auto* texts = std::get_if<nn::TokenBatch>(&input);
  return texts == nullptr ? longest : texts->lengths[static_cast<size_t>(index)];
}

// Writes the features of one batch into `features`, which begins with the batch's first row.
void Observe(const nn::Network& base, const nn::Input& input, absl::Span<double> features) {
  const size_t heads = base.geometry.heads, columns = base.geometry.layers * heads;
  nn::ForwardOptions options;
  options.observe_attention = [&](size_t layer, const nn::SequenceGroup& group,
                                  const at::Tensor& probabilities) {
    for (size_t i = 0; i < group.inputs.size(); ++i) {
      const int64_t index = group.inputs[i];
      const Content content = ContentOf(base.geometry, TokensOf(input, index, group.tokens));
      if (content.count == 0) continue;
      const at::Tensor row = probabilities[0][static_cast<int64_t>(i)].select(1, 0);  // [K, T]
      const at::Tensor largest =
          row.narrow(1, content.first, content.count).amax(1).to(at::kDouble).contiguous();
      std::copy_n(largest.data_ptr<double>(), heads,
                  features.begin() + static_cast<size_t>(index) * columns + layer * heads);
    }
  };
  nn::Forward(base, input, options);
}

}  // namespace

absl::Status CheckWholeBase(const nn::Network& base, absl::string_view what) {
  if (base.members != 1 || base.reader.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, ": got ", base.members, " members, want a base of 1"));
  }
  for (const artifact::LayerPlan& layer : base.plan) {
    if (layer.heads.front().size() == base.geometry.heads) continue;
    return absl::InvalidArgumentError(absl::StrCat(what, ": the base is pruned already"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<double>> HeadFeatures(const nn::Network& base,
                                                 const train::ExampleSet& examples,
                                                 absl::Span<const size_t> rows,
                                                 const RowProgress& progress) {
  HYDRA_RETURN_IF_ERROR(CheckWholeBase(base, "head features"));
  if (base.geometry.vocabulary == 0 && !base.weights.prefix.defined()) {
    return absl::InvalidArgumentError("head features: the base has no classification token");
  }
  const size_t columns = base.geometry.layers * base.geometry.heads;
  std::vector<double> features(rows.size() * columns);
  for (size_t begin = 0; begin < rows.size(); begin += kBatch) {
    const size_t count = std::min(kBatch, rows.size() - begin);
    HYDRA_RETURN_IF_ERROR(nn::CatchTorch("head features", [&] {
      const c10::InferenceMode inference;
      Observe(base, train::Gather(examples, rows.subspan(begin, count)),
              absl::MakeSpan(features).subspan(begin * columns, count * columns));
      return absl::OkStatus();
    }));
    progress(begin + count);
  }
  return features;
}

}  // namespace hydra::builder
