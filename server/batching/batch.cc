#include "server/batching/batch.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "model/base/check.h"
#include "model/base/status_detail.h"

namespace hydra::batching {

size_t CountRows(absl::Span<const QueuedJob> jobs) {
  size_t rows = 0;
  for (const QueuedJob& queued : jobs) rows += queued.job.row_count;
  return rows;
}

void GatherRows(absl::Span<const QueuedJob> jobs, absl::Span<float> buffer) {
  auto end = buffer.begin();
  for (const QueuedJob& queued : jobs) {
    HYDRA_CHECK(queued.job.rows.size() <= static_cast<size_t>(buffer.end() - end));
    end = std::copy(queued.job.rows.begin(), queued.job.rows.end(), end);
  }
  std::fill(end, buffer.end(), 0.0f);
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
