#include "server/lifecycle/model_setup.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "model/artifact/bundle.h"
#include "model/base/status_macros.h"
#include "model/runtime/golden_check.h"
#include "server/config/lane_plan.h"

namespace hydra::lifecycle {
namespace {

// The first pass of a shape allocates and picks kernels; the later ones are what requests will see.
constexpr int kPassesPerRung = 3;
// A pass this long is measured well enough by itself.
constexpr absl::Duration kLongPass = absl::Milliseconds(500);

std::string DtypeOf(runtime::Numerics numerics) {
  return numerics == runtime::Numerics::kBFloat16 ? "bfloat16" : "float32";
}

absl::Status WarmUp(runtime::Predictor& predictor, const std::vector<size_t>& ladder,
                    const base::Clock& clock, std::vector<batching::CostModel::Sample>& samples) {
  const std::vector<float> rows(ladder.back() * predictor.shape().row_values, 0.0f);
  for (const size_t rung : ladder) {
    const auto input = absl::MakeConstSpan(rows).subspan(0, rung * predictor.shape().row_values);
    for (int pass = 0; pass < kPassesPerRung; ++pass) {
      const absl::Time start = clock.MonotonicNow();
      HYDRA_RETURN_IF_ERROR(predictor.Run(input, rung).status());
      const absl::Duration taken = clock.MonotonicNow() - start;
      if (pass > 0) samples.push_back({rung, taken});
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
    HYDRA_RETURN_IF_ERROR(WarmUp(*predictor, config::LadderOf(config.batching), clock, samples));
    model.predictors.push_back(std::move(predictor));
  }
  model.cost = batching::CostModel(samples);
  return model;
}

}  // namespace hydra::lifecycle
