#include "model/uncertainty/softmax.h"

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace hydra::uncertainty {

absl::StatusOr<std::vector<float>> Softmax(absl::Span<const float> logits, EnsembleShape shape,
                                           double temperature) {
  if (logits.size() != shape.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("logits: got ", logits.size(), " values, want ", shape.size()));
  }
  if (!(temperature > 0.0) || !std::isfinite(temperature)) {
    return absl::InvalidArgumentError(
        absl::StrCat("temperature: got ", temperature, ", want a positive finite number"));
  }
  std::vector<float> probs(logits.size());
  for (size_t start = 0; start < logits.size(); start += shape.classes()) {
    const absl::Span<const float> row = logits.subspan(start, shape.classes());
    const double log_sum = LogSumExp(row, temperature);
    if (!std::isfinite(log_sum) ||
        !std::all_of(row.begin(), row.end(), [](float z) { return std::isfinite(z); })) {
      return absl::InvalidArgumentError(absl::StrCat("logits: row ", start / shape.classes(),
                                                     " holds a value that is not finite"));
    }
    for (size_t c = 0; c < row.size(); ++c) {
      probs[start + c] = static_cast<float>(std::exp(row[c] / temperature - log_sum));
    }
  }
  return probs;
}

double LogSumExp(absl::Span<const float> row, double temperature) {
  const double top = *std::max_element(row.begin(), row.end()) / temperature;
  double sum = 0.0;
  for (const float z : row) sum += std::exp(z / temperature - top);
  return top + std::log(sum);
}

}  // namespace hydra::uncertainty
