#include "model/builder/packing/golden.h"

#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "model/base/rng.h"
#include "model/base/status_macros.h"
#include "model/builder/quality/predictions.h"
#include "model/nn/catch_torch.h"
#include "model/nn/pass/forward.h"
#include "model/nn/readers.h"
#include "model/nn/tensor_convert.h"

namespace hydra::builder {
namespace {

// Above this number of heads one of each layer and stream is tried.
constexpr size_t kMaxHeadsTried = 256;

struct HeadPlace {
  size_t layer = 0;
  size_t stream = 0;
  size_t position = 0;  // among the stream's kept heads
  bool reader = false;  // of reader `stream`, not of the tokens
};

// max |got - want| / max |want|, as runtime::CheckGolden measures.
double RelativeError(const std::vector<float>& got, const std::vector<float>& want) {
  double difference = 0.0, scale = 0.0;
  for (size_t i = 0; i < want.size(); ++i) {
    difference = std::max(difference, std::abs(static_cast<double>(got[i]) - want[i]));
    scale = std::max(scale, std::abs(static_cast<double>(want[i])));
  }
  return scale > 0.0 ? difference / scale : difference;
}

// Every head of a layer whose output is computed, and one of each stream.
struct HeadPlaces {
  std::vector<HeadPlace> all, one_each;

  void Add(const artifact::LayerPlan& plan, HeadPlace place, base::Rng& rng) {
    for (place.stream = 0; place.stream < plan.heads.size(); ++place.stream) {
      const size_t kept = plan.heads[place.stream].size();
      if (kept == 0) continue;
      for (place.position = 0; place.position < kept; ++place.position) all.push_back(place);
      place.position = rng.UniformBelow(kept);
      one_each.push_back(place);
    }
  }
};

std::vector<HeadPlace> PlacesToTry(const nn::Network& network, uint64_t seed) {
  HeadPlaces places;
  base::Rng rng = base::Rng::ForPurpose(seed, "heads to zero");
  for (size_t l = 0; l < network.plan.size(); ++l) {
    if (!nn::GivesKeysValuesOnly(network, l))
      places.Add(nn::TokenPlan(network, l), {.layer = l}, rng);
    if (network.reader.has_value() && l >= network.reader->first_layer)
      places.Add(network.plan[l], {.layer = l, .reader = true}, rng);
  }
  return places.all.size() <= kMaxHeadsTried ? places.all : places.one_each;
}

// With the head's columns of the output projection zeroed.
std::vector<float> LogitsWithout(nn::Network network, const nn::Input& inputs,
                                 const HeadPlace& place) {
  at::Tensor& out =
      place.reader ? network.weights.readers[place.layer - network.reader->first_layer].out_weight
                   : network.weights.layers[place.layer].out_weight;
  out = out.clone();
  const auto width = static_cast<int64_t>(network.geometry.head_width);
  out[static_cast<int64_t>(place.stream)]
      .narrow(1, static_cast<int64_t>(place.position) * width, width)
      .zero_();
  return nn::ToFloatVector(nn::Forward(network, inputs));
}

absl::Status MeasureHeads(const nn::Network& network, const LabelledData& inputs,
                          const GoldenOptions& options, Golden& golden) {
  return nn::CatchTorch("golden answers", [&]() -> absl::Status {
    const c10::InferenceMode inference;
    std::vector<size_t> rows(inputs.examples.size());
    std::iota(rows.begin(), rows.end(), size_t{0});
    const nn::Input all = train::Gather(inputs.examples, rows);
    const std::vector<HeadPlace> places = PlacesToTry(network, options.seed);
    golden.heads_tried = places.size();
    golden.smallest_head_effect = std::numeric_limits<double>::infinity();
    for (const HeadPlace& place : places) {
      const double effect =
          RelativeError(LogitsWithout(network, all, place), golden.answers.logits);
      golden.smallest_head_effect = std::min(golden.smallest_head_effect, effect);
      if (effect > options.float32_tolerance) continue;
      return absl::FailedPreconditionError(
          absl::StrFormat("golden answers: zeroing head %d of %s %d in layer %d changes them by "
                          "%.3g, want more than "
                          "the tolerance of %.3g; take more rows",
                          place.position, place.reader ? "reader" : "stream", place.stream,
                          place.layer, effect, options.float32_tolerance));
    }
    return absl::OkStatus();
  });
}

// The inputs as the format stores them: pixels, or ids padded to the longest text.
absl::Status SetInputs(const LabelledData& inputs, artifact::GoldenAnswers& answers) {
  if (!inputs.examples.texts()) {
    HYDRA_ASSIGN_OR_RETURN(answers.inputs, InputRows(inputs, 0, answers.batch));
    answers.row_values = answers.inputs.size() / answers.batch;
    return absl::OkStatus();
  }
  for (const std::vector<int64_t>& text : inputs.examples.tokens)
    answers.tokens = std::max(answers.tokens, text.size());
  for (const std::vector<int64_t>& text : inputs.examples.tokens) {
    const size_t padding = answers.tokens - text.size();
    answers.token_ids.insert(answers.token_ids.end(), text.begin(), text.end());
    answers.token_ids.insert(answers.token_ids.end(), padding, 0);
    answers.attention_mask.insert(answers.attention_mask.end(), text.size(), 1);
    answers.attention_mask.insert(answers.attention_mask.end(), padding, 0);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Golden> MakeGolden(const nn::Network& network, const LabelledData& inputs,
                                  const GoldenOptions& options) {
  if (inputs.examples.size() == 0)
    return absl::InvalidArgumentError("golden answers: got no input");
  HYDRA_ASSIGN_OR_RETURN(const Predictions exact,
                         Predict(network, inputs, {.threads = options.threads}));
  nn::Network rounded = nn::Clone(network);
  nn::RoundMatricesToBFloat16(rounded);
  HYDRA_ASSIGN_OR_RETURN(const Predictions rough,
                         Predict(rounded, inputs, {.threads = options.threads}));
  Golden golden;
  golden.bfloat16_error = RelativeError(rough.logits, exact.logits);
  golden.answers = {.members = exact.members,
                    .batch = exact.rows,
                    .classes = exact.classes,
                    .logits = exact.logits,
                    .dtype = "float32"};
  HYDRA_RETURN_IF_ERROR(SetInputs(inputs, golden.answers));
  HYDRA_RETURN_IF_ERROR(MeasureHeads(network, inputs, options, golden));
  golden.answers.tolerance = {
      {"float32", options.float32_tolerance},
      {"bfloat16",
       std::max(options.float32_tolerance, options.bfloat16_margin * golden.bfloat16_error)}};
  return golden;
}

std::map<std::string, std::string> GoldenChoices(const Golden& golden) {
  return {{"golden_bfloat16_error_measured", absl::StrFormat("%.3g", golden.bfloat16_error)},
          {"golden_smallest_head_effect", absl::StrFormat("%.3g", golden.smallest_head_effect)},
          {"golden_heads_tried", absl::StrCat(golden.heads_tried)}};
}

}  // namespace hydra::builder
