#include "server/batching/batch.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "model/base/check.h"
#include "model/base/status_detail.h"
#include "model/base/status_macros.h"

namespace hydra::batching {

namespace {

absl::Status CheckOutput(absl::Span<const float> logits, size_t rows,
                         const runtime::PredictorShape& shape) {
  const size_t wanted = shape.members * rows * shape.classes;
  if (logits.size() == wanted) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat("the model's output: got ", logits.size(), " values, want ", wanted));
}

// How many texts from the front stay within max_tokens, and their tokens; one at least.
Work FirstTexts(absl::Span<const size_t> lengths, size_t max_tokens) {
  Work taken{.rows = 1, .tokens = lengths.front()};
  while (taken.rows < lengths.size() && taken.tokens + lengths[taken.rows] <= max_tokens) {
    taken += {.rows = 1, .tokens = lengths[taken.rows]};
  }
  return taken;
}

// Copies [M, n, C] to the rows from `first_row` of [M, B, C].
void PlaceRows(absl::Span<const float> part, size_t members, size_t first_row, size_t row_size,
               std::vector<float>& logits) {
  const size_t part_size = part.size() / members;
  const size_t member_size = logits.size() / members;
  for (size_t m = 0; m < members; ++m) {
    const auto rows = part.subspan(m * part_size, part_size);
    std::copy(rows.begin(), rows.end(),
              logits.begin() + static_cast<std::ptrdiff_t>(m * member_size + first_row * row_size));
  }
}

absl::StatusOr<std::vector<float>> RunTexts(const runtime::Rows& rows, size_t max_tokens,
                                            runtime::Predictor& predictor) {
  const runtime::PredictorShape& shape = predictor.shape();
  auto ids = absl::MakeConstSpan(rows.token_ids);
  auto lengths = absl::MakeConstSpan(rows.lengths);
  std::vector<float> logits(shape.members * lengths.size() * shape.classes);
  for (size_t first_row = 0; !lengths.empty();) {
    const Work taken = FirstTexts(lengths, max_tokens);
    HYDRA_ASSIGN_OR_RETURN(std::vector<float> part,
                           predictor.RunTexts(ids.first(taken.tokens), lengths.first(taken.rows)));
    HYDRA_RETURN_IF_ERROR(CheckOutput(part, taken.rows, shape));
    if (taken.rows == rows.lengths.size()) return part;
    PlaceRows(part, shape.members, first_row, shape.classes, logits);
    ids.remove_prefix(taken.tokens);
    lengths.remove_prefix(taken.rows);
    first_row += taken.rows;
  }
  return logits;
}

}  // namespace

Work WorkOf(absl::Span<const QueuedJob> jobs) {
  Work work;
  for (const QueuedJob& queued : jobs) work += WorkOf(queued.job);
  return work;
}

void GatherRows(absl::Span<const QueuedJob> jobs, size_t padded_rows, size_t row_values,
                BatchInput& input) {
  input.rows.values.clear();
  input.rows.token_ids.clear();
  input.rows.lengths.clear();
  input.padded_rows = padded_rows;
  for (const QueuedJob& queued : jobs) runtime::Append(queued.job.rows, input.rows);
  HYDRA_CHECK(input.rows.values.size() <= padded_rows * row_values);
  input.rows.values.resize(padded_rows * row_values);
}

absl::StatusOr<std::vector<float>> RunBatch(const BatchInput& input, size_t max_tokens,
                                            runtime::Predictor& predictor) {
  if (predictor.shape().takes_texts()) return RunTexts(input.rows, max_tokens, predictor);
  HYDRA_ASSIGN_OR_RETURN(std::vector<float> logits,
                         predictor.Run(input.rows.values, input.padded_rows));
  HYDRA_RETURN_IF_ERROR(CheckOutput(logits, input.padded_rows, predictor.shape()));
  return logits;
}

absl::StatusOr<std::vector<float>> ExtractRows(absl::Span<const float> logits,
                                               const runtime::PredictorShape& shape,
                                               size_t first_row, size_t row_count) {
  const size_t batch = logits.size() / (shape.members * shape.classes);
  std::vector<float> cut;
  cut.reserve(shape.members * row_count * shape.classes);
  for (size_t m = 0; m < shape.members; ++m) {
    const auto rows =
        logits.subspan((m * batch + first_row) * shape.classes, row_count * shape.classes);
    cut.insert(cut.end(), rows.begin(), rows.end());
  }
  const auto bad =
      std::find_if_not(cut.begin(), cut.end(), [](float z) { return std::isfinite(z); });
  if (bad == cut.end()) return cut;
  const size_t index = static_cast<size_t>(bad - cut.begin());
  return base::WithReason(
      absl::InternalError(absl::StrCat(
          "the model's logit of row ", index / shape.classes % row_count, ", member ",
          index / (shape.classes * row_count), ", class ", index % shape.classes, " is ", *bad)),
      "NON_FINITE_OUTPUT");
}

}  // namespace hydra::batching
