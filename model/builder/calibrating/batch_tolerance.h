// How much a score depends on the batch that a row travels in.
#pragma once

#include <cstddef>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/builder/source/labelled_data.h"
#include "model/runtime/predictor.h"

namespace hydra::builder {

// Batch sizes that are compared.
inline constexpr size_t kToleranceBatches[] = {1, 2, 3, 8, 32};

// Largest difference between two batch shapes over all rows of `data` and all scores.
// Errors: as Predict and Answers.
absl::StatusOr<double> MeasureBatchTolerance(runtime::Predictor& predictor,
                                             const LabelledData& data, double temperature);

}  // namespace hydra::builder
