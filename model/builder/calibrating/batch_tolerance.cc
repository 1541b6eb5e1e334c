#include "model/builder/calibrating/batch_tolerance.h"

#include <algorithm>
#include <vector>

#include "model/base/status_macros.h"
#include "model/builder/quality/measures.h"

namespace hydra::builder {

absl::StatusOr<double> MeasureBatchTolerance(runtime::Predictor& predictor,
                                             const LabelledData& data, double temperature) {
  const std::vector<uncertainty::Score> scores = ScoresOf(predictor.shape().members);
  std::vector<std::vector<double>> low(scores.size()), high(scores.size());
  for (const size_t batch : kToleranceBatches) {
    HYDRA_ASSIGN_OR_RETURN(const Predictions predictions, Predict(predictor, data, batch));
    HYDRA_ASSIGN_OR_RETURN(const auto answers, Answers(predictions, temperature));
    for (size_t s = 0; s < scores.size(); ++s) {
      HYDRA_ASSIGN_OR_RETURN(const std::vector<double> values, ScoreValues(answers, scores[s]));
      if (low[s].empty()) low[s] = high[s] = values;
      for (size_t i = 0; i < values.size(); ++i) {
        low[s][i] = std::min(low[s][i], values[i]);
        high[s][i] = std::max(high[s][i], values[i]);
      }
    }
  }
  double largest = 0.0;
  for (size_t s = 0; s < scores.size(); ++s) {
    for (size_t i = 0; i < low[s].size(); ++i) largest = std::max(largest, high[s][i] - low[s][i]);
  }
  return largest;
}

}  // namespace hydra::builder
