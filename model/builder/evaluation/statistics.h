// The statistics of a system that get intervals, and differences between systems.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/builder/evaluation/systems.h"
#include "model/builder/quality/bootstrap.h"
#include "model/builder/quality/mixed_stream.h"
#include "model/builder/quality/score_combiner.h"

namespace hydra::builder {

// A number of some rows of `rows`; rows may repeat.  What it needs is owned by `of`.
struct Statistic {
  size_t rows = 0;
  std::function<absl::StatusOr<double>(absl::Span<const size_t>)> of;
};
using Statistics = std::map<std::string, Statistic>;

// How a system's rows are put into an order.
struct Ordering {
  uncertainty::Score score = uncertainty::Score::kTotalEntropy;
  const ScoreCombiner* combiner = nullptr;  // must outlive the call; unset: no mixed stream
  const StreamPlan* stream = nullptr;       // likewise
};

// "accuracy", "nll", "brier", "ece"; "aurc" and "auroc_SET" by the score; "mixed_aurc" by the
// combiner.  At the system's temperature.  Errors: as Answers and ScoreRows.
absl::StatusOr<Statistics> StatisticsOf(const EvaluatedSystem& system, const Ordering& ordering);

// The rows of the mixed stream by one score, or by the combiner.
absl::StatusOr<std::vector<uncertainty::ScoredRow>> StreamByScore(const EvaluatedSystem& system,
                                                                  const StreamPlan& plan,
                                                                  uncertainty::Score score);
absl::StatusOr<std::vector<uncertainty::ScoredRow>> StreamByCombiner(const EvaluatedSystem& system,
                                                                     const StreamPlan& plan,
                                                                     const ScoreCombiner& combiner);

struct Difference {
  double value = 0.0;  // system - reference over all rows
  Interval interval;   // of resamples that both share
};

// For every statistic that both have over as many rows.  Errors: as BootstrapInterval.
absl::StatusOr<std::map<std::string, Difference>> DifferencesOf(const Statistics& system,
                                                                const Statistics& reference,
                                                                const BootstrapOptions& bootstrap);

}  // namespace hydra::builder
