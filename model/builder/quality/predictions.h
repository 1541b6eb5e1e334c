// Member logits of a dataset, made with the numerics that will be served.
#pragma once

#include <cstddef>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/builder/source/labelled_data.h"
#include "model/nn/network.h"
#include "model/runtime/loader.h"
#include "model/runtime/predictor.h"
#include "model/uncertainty/answer.h"

namespace hydra::builder {

// `logits`: [M, N, C] row-major; `labels`: [N], or empty if the data has none.
struct Predictions {
  size_t members = 0;
  size_t rows = 0;
  size_t classes = 0;
  std::vector<float> logits;
  std::vector<size_t> labels;
};

// Network inputs [count, C*H*W] of these images, normalised as the server does it.
absl::StatusOr<std::vector<float>> InputRows(const LabelledData& data, size_t begin, size_t count);

// Runs all inputs in batches of `batch`.  Errors: as Predictor::Run.
absl::StatusOr<Predictions> Predict(runtime::Predictor& predictor, const LabelledData& data,
                                    size_t batch);

// Rows of a block: block k is [k kBlockRows, (k + 1) kBlockRows).
inline constexpr size_t kBlockRows = 250;

// Runs each block of rows that is `wanted` as one batch, so that a row's logits are the same
// whichever other blocks are run; the logits of other rows are 0.  Errors: as Predictor::Run.
absl::StatusOr<Predictions> PredictBlocks(runtime::Predictor& predictor, const LabelledData& data,
                                          absl::FunctionRef<bool(size_t block)> wanted);

// The same for a network in memory.  Errors: as MakePredictor and Predictor::Run.
absl::StatusOr<Predictions> Predict(const nn::Network& network, const LabelledData& data,
                                    runtime::PredictorOptions options);

// Predictions of separate models on the same rows as the members of one ensemble.
// Errors: INVALID_ARGUMENT if rows or classes differ.
absl::StatusOr<Predictions> StackMembers(absl::Span<const Predictions> parts);

// One member alone.
Predictions MemberOf(const Predictions& predictions, size_t member);

// Errors: as uncertainty::AnswerRows.
absl::StatusOr<std::vector<uncertainty::Answer>> Answers(const Predictions& predictions,
                                                         double temperature);

}  // namespace hydra::builder
