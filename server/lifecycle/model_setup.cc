#include "server/lifecycle/model_setup.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "model/artifact/bundle.h"
#include "model/base/status_macros.h"
#include "model/runtime/golden_check.h"
#include "model/text/tokenizer.h"
#include "server/batching/batch.h"
#include "server/config/lane_plan.h"

namespace hydra::lifecycle {
namespace {

// The first pass of a shape allocates and picks kernels; the later ones are what requests will see.
constexpr int kPassesPerSize = 3;
// A pass this long is measured well enough by itself.
constexpr absl::Duration kLongPass = absl::Milliseconds(500);

std::string DtypeOf(runtime::Numerics numerics) {
  return numerics == runtime::Numerics::kBFloat16 ? "bfloat16" : "float32";
}

constexpr size_t kShortestText = 4;
constexpr size_t kTextGrowth = 4;

// Of a bundle of texts.
absl::StatusOr<text::Tokenizer> MakeTokenizer(const artifact::Bundle& bundle,
                                              const config::ServerConfig& config) {
  const artifact::TextSettings& settings = *bundle.text_settings();
  if (settings.max_tokens > config.batching.max_tokens) {
    return absl::FailedPreconditionError(
        absl::StrCat("batching.max_tokens: got ", config.batching.max_tokens, ", want at least ",
                     settings.max_tokens, ", which one text of the bundle may have"));
  }
  HYDRA_ASSIGN_OR_RETURN(text::Tokenizer tokenizer,
                         text::Tokenizer::Create(*bundle.tokenizer_json(), settings,
                                                 {.max_text_bytes = config.limits.max_text_bytes}));
  const size_t vocabulary = bundle.manifest().geometry.vocabulary;
  if (static_cast<size_t>(tokenizer.largest_id()) >= vocabulary) {
    return absl::FailedPreconditionError(absl::StrCat("preprocess/tokenizer.json: got token id ",
                                                      tokenizer.largest_id(), ", want 0..",
                                                      vocabulary - 1));
  }
  return tokenizer;
}

// One size to run before requests do.
struct WarmUpSize {
  size_t rows = 0;
  size_t tokens = 0;  // of each text; 0 for images
};

// Images: every rung.  Texts: several lengths, each alone and in the largest batch.
std::vector<WarmUpSize> WarmUpSizes(const config::BatchingConfig& batching,
                                    const std::optional<text::Tokenizer>& tokenizer) {
  std::vector<WarmUpSize> sizes;
  if (!tokenizer) {
    for (const size_t rung : config::LadderOf(batching)) sizes.push_back({.rows = rung});
    return sizes;
  }
  const size_t longest = tokenizer->settings().max_tokens;
  for (size_t length = std::min(kShortestText, longest);;
       length = std::min(length * kTextGrowth, longest)) {
    const size_t rows = std::min(batching.max_batch_rows, batching.max_tokens / length);
    sizes.push_back({.rows = 1, .tokens = length});
    if (rows > 1) sizes.push_back({.rows = rows, .tokens = length});
    if (length == longest) return sizes;
  }
}

batching::BatchInput WarmUpInput(const WarmUpSize& size, size_t row_values) {
  if (size.tokens == 0) {
    return {.rows = {.values = std::vector<float>(size.rows * row_values)},
            .padded_rows = size.rows};
  }
  return {.rows = {.token_ids = std::vector<int64_t>(size.rows * size.tokens),
                   .lengths = std::vector<size_t>(size.rows, size.tokens)},
          .padded_rows = size.rows};
}

absl::Status WarmUp(runtime::Predictor& predictor, const std::vector<WarmUpSize>& sizes,
                    const base::Clock& clock, std::vector<batching::CostModel::Sample>& samples) {
  for (const WarmUpSize& size : sizes) {
    const batching::BatchInput input = WarmUpInput(size, predictor.shape().row_values);
    const size_t units = size.tokens > 0 ? size.rows * size.tokens : size.rows;
    for (int pass = 0; pass < kPassesPerSize; ++pass) {
      const absl::Time start = clock.MonotonicNow();
      HYDRA_RETURN_IF_ERROR(batching::RunBatch(input, units, predictor).status());
      const absl::Duration taken = clock.MonotonicNow() - start;
      if (pass > 0) samples.push_back({units, taken});
      if (pass > 0 && taken > kLongPass) break;
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<LoadedModel> SetUpModel(const config::ServerConfig& config, const Runtime& runtime,
                                       const base::Clock& clock, const Progress& progress) {
  if (config.bundle.path.empty()) {
    return absl::FailedPreconditionError(
        "bundle.path: got nothing, want a bundle; set it in the file or pass --bundle DIR");
  }
  HYDRA_RETURN_IF_ERROR(progress("open_bundle"));
  HYDRA_ASSIGN_OR_RETURN(const artifact::Bundle bundle, artifact::Bundle::Open(config.bundle.path));
  const runtime::Numerics numerics = runtime.resolve_numerics(config.lanes.numerics);
  const std::string dtype = DtypeOf(numerics);
  const config::LanePlan plan = config::PlanLanes(config.lanes, config::UsableCpus());

  LoadedModel model{.served = policy::ServedBundle::Of(bundle, dtype)};
  if (bundle.tokenizer_json()) {
    HYDRA_ASSIGN_OR_RETURN(model.served.tokenizer, MakeTokenizer(bundle, config));
  }
  const std::vector<WarmUpSize> sizes = WarmUpSizes(config.batching, model.served.tokenizer);
  std::vector<batching::CostModel::Sample> samples;
  for (size_t lane = 0; lane < plan.lanes; ++lane) {
    const std::string suffix = absl::StrCat(" of lane ", lane + 1, "/", plan.lanes);
    HYDRA_RETURN_IF_ERROR(progress("load" + suffix));
    HYDRA_ASSIGN_OR_RETURN(
        auto predictor,
        runtime.load_predictor(bundle, {.threads = plan.threads_per_lane, .numerics = numerics}));
    HYDRA_RETURN_IF_ERROR(progress("golden_answers" + suffix));
    HYDRA_RETURN_IF_ERROR(runtime::CheckGolden(bundle.golden(), dtype, *predictor).status());
    HYDRA_RETURN_IF_ERROR(progress("warm_up" + suffix));
    HYDRA_RETURN_IF_ERROR(WarmUp(*predictor, sizes, clock, samples));
    model.predictors.push_back(std::move(predictor));
  }
  model.cost = batching::CostModel(samples);
  return model;
}

}  // namespace hydra::lifecycle
