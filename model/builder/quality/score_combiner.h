// All scores of an answer as one number, fitted where no test data are needed.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/builder/quality/logistic.h"
#include "model/uncertainty/answer.h"

namespace hydra::builder {

// Log-odds that an answer is a mistake, by logistic regression (ridge 0.001) over the scores of the
// system, each standardised on the rows that it was fitted on and clamped to +-8.  A wrong answer
// and every proxy count as mistakes; proxies weigh two to one, as out-of-distribution rows do in
// the mixed stream.  Thread-safe once made.
class ScoreCombiner {
 public:
  // `held_out`: answers to in-distribution rows with their `labels`; `proxies`: to proxies.
  // Errors: INVALID_ARGUMENT a side is empty or lengths differ; as FitLogistic.
  static absl::StatusOr<ScoreCombiner> Fit(absl::Span<const uncertainty::Answer> held_out,
                                           absl::Span<const size_t> labels,
                                           absl::Span<const uncertainty::Answer> proxies);

  // Higher is less sure.  Errors: FAILED_PRECONDITION an answer lacks a score of the fit.
  absl::StatusOr<std::vector<double>> Combine(absl::Span<const uncertainty::Answer> answers) const;

  struct Column {
    std::string score;
    double mean = 0.0;
    double deviation = 1.0;
    double weight = 0.0;  // of the standardised score
  };
  std::vector<Column> columns() const;
  double intercept() const { return model_.intercept; }

 private:
  ScoreCombiner() = default;

  std::vector<uncertainty::Score> scores_;
  std::vector<double> means_, deviations_;
  LogisticModel model_;
};

}  // namespace hydra::builder
