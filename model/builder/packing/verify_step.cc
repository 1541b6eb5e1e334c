#include "model/builder/packing/verify_step.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "model/artifact/bundle.h"
#include "model/base/status_macros.h"
#include "model/runtime/golden_check.h"
#include "model/runtime/loader.h"

namespace hydra::builder {
namespace {

absl::Status Replay(const artifact::Bundle& bundle, runtime::Numerics numerics,
                    const std::string& dtype, StepContext context) {
  HYDRA_ASSIGN_OR_RETURN(
      const auto predictor,
      runtime::LoadPredictor(bundle, {.threads = context.threads, .numerics = numerics}));
  HYDRA_ASSIGN_OR_RETURN(const double error,
                         runtime::CheckGolden(bundle.golden(), dtype, *predictor));
  context.console.Line(absl::StrFormat(
      "verify  %s: %d golden rows, %d members: relative error %.3g, tolerance %.3g", dtype,
      bundle.golden().batch, bundle.golden().members, error, bundle.golden().tolerance.at(dtype)));
  return absl::OkStatus();
}

}  // namespace

absl::Status VerifyBundle(const std::string& path, StepContext context) {
  HYDRA_ASSIGN_OR_RETURN(const artifact::Bundle bundle, artifact::Bundle::Open(path));
  context.console.Line(absl::StrCat("verify  every file as hashed, digest ", bundle.digest()));
  HYDRA_RETURN_IF_ERROR(Replay(bundle, runtime::Numerics::kFloat32, "float32", context));
  const bool rounds =
      runtime::ResolveNumerics(runtime::Numerics::kBFloat16) == runtime::Numerics::kBFloat16;
  if (!rounds || bundle.golden().tolerance.count("bfloat16") == 0) return absl::OkStatus();
  return Replay(bundle, runtime::Numerics::kBFloat16, "bfloat16", context);
}

}  // namespace hydra::builder
