// Step "calibrate": temperature, certificates, conformal quantiles and reference distributions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "model/builder/options/data_options.h"
#include "model/builder/options/option_field.h"
#include "model/builder/steps/step_context.h"

namespace hydra::builder {

struct CalibrateStepOptions {
  double delta = 0.05;
  size_t cuts = 50;  // declared for each score
  std::vector<double> alphas = {0.1, 0.05};
  size_t histogram_bins = 20;
  double class_risk = 0.02;   // target of the rules per class; 0: none are looked for
  bool bf16 = false;          // a certificate for bfloat16 too
  std::string default_score;  // empty: chosen on proxy data
  std::string population = "held-out data from the training distribution";
  size_t seed = 0;  // of the proxy data
};

std::vector<OptionField> Fields(CalibrateStepOptions& options);

// Writes calibration.json (as a bundle carries it), calibrate.json (how it was made) and
// splits.json (the item digests of every split) to `out`.  Each number comes from its own split:
// temperature from "fit", cuts and default score from "path", counts from "certify", quantiles from
// "conformal".  Errors: INVALID_ARGUMENT options; FAILED_PRECONDITION too few rows for an alpha; as
// LoadPool and Predict.
absl::Status RunCalibrate(const DataOptions& data, const CalibrateStepOptions& options,
                          const std::string& network, const std::string& out, StepContext context);

}  // namespace hydra::builder
