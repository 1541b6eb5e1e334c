// Inputs ready for a predictor, one after the other, and whether they fit it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "model/runtime/predictor.h"

namespace hydra::runtime {

// B images or B texts; the fields of the other kind are empty.
struct Rows {
  std::vector<float> values;       // images: [B, row_values] row-major
  std::vector<int64_t> token_ids;  // texts: the tokens of all, without padding
  std::vector<size_t> lengths;     // texts: [B]

  bool operator==(const Rows&) const = default;
};

void Append(const Rows& more, Rows& rows);

size_t Bytes(const Rows& rows);

// Errors: INVALID_ARGUMENT not `batch` >= 1 rows of `shape`, or as CheckTexts.
absl::Status CheckRows(const Rows& rows, size_t batch, const PredictorShape& shape);
absl::Status CheckImages(absl::Span<const float> values, size_t batch, const PredictorShape& shape);

// Errors: INVALID_ARGUMENT no text, a length outside 1..max_tokens, lengths that do not add up to
// the number of ids, or an id outside the vocabulary.
absl::Status CheckTexts(absl::Span<const int64_t> ids, absl::Span<const size_t> lengths,
                        const PredictorShape& shape);

}  // namespace hydra::runtime
