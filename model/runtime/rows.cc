#include "model/runtime/rows.h"

#include "absl/strings/str_cat.h"

namespace hydra::runtime {

void Append(const Rows& more, Rows& rows) {
  rows.values.insert(rows.values.end(), more.values.begin(), more.values.end());
  rows.token_ids.insert(rows.token_ids.end(), more.token_ids.begin(), more.token_ids.end());
  rows.lengths.insert(rows.lengths.end(), more.lengths.begin(), more.lengths.end());
}

size_t Bytes(const Rows& rows) {
  return rows.values.size() * sizeof(float) + rows.token_ids.size() * sizeof(int64_t) +
         rows.lengths.size() * sizeof(size_t);
}

absl::Status CheckRows(const Rows& rows, size_t batch, const PredictorShape& shape) {
  if (!shape.takes_texts()) {
    if (rows.lengths.empty() && rows.token_ids.empty()) {
      return CheckImages(rows.values, batch, shape);
    }
    return absl::InvalidArgumentError("rows: got texts, want images");
  }
  if (!rows.values.empty()) return absl::InvalidArgumentError("rows: got images, want texts");
  if (rows.lengths.size() != batch) {
    return absl::InvalidArgumentError(
        absl::StrCat("rows: got ", rows.lengths.size(), " texts for batch ", batch));
  }
  return CheckTexts(rows.token_ids, rows.lengths, shape);
}

absl::Status CheckImages(absl::Span<const float> values, size_t batch,
                         const PredictorShape& shape) {
  if (shape.takes_texts()) {
    return absl::InvalidArgumentError("rows: got images, want texts");
  }
  if (batch > 0 && values.size() % batch == 0 && values.size() / batch == shape.row_values) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("rows: got ", values.size(), " values for batch ",
                                                 batch, ", want ", batch, " x ", shape.row_values));
}

absl::Status CheckTexts(absl::Span<const int64_t> ids, absl::Span<const size_t> lengths,
                        const PredictorShape& shape) {
  if (!shape.takes_texts()) return absl::InvalidArgumentError("rows: got texts, want images");
  if (lengths.empty()) return absl::InvalidArgumentError("texts: got 0, want at least 1");
  size_t tokens = 0;
  for (const size_t length : lengths) {
    if (length < 1 || length > shape.max_tokens) {
      return absl::InvalidArgumentError(
          absl::StrCat("texts: got one of ", length, " tokens, want 1..", shape.max_tokens));
    }
    tokens += length;
  }
  if (tokens != ids.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("texts: got ", ids.size(), " token ids, want ", tokens, " by their lengths"));
  }
  for (const int64_t id : ids) {
    if (id >= 0 && static_cast<size_t>(id) < shape.vocabulary) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("texts: got token id ", id, ", want 0..", shape.vocabulary - 1));
  }
  return absl::OkStatus();
}

}  // namespace hydra::runtime
