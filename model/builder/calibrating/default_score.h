// Which score a new policy starts with.
#pragma once

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/uncertainty/answer.h"

namespace hydra::builder {

struct ScoreRanking {
  std::string best;                    // smallest AURC; the earlier of kAllScores among equals
  std::map<std::string, double> aurc;  // of the mixed stream, by score
};

// Ranks the scores on a mixed stream of held-out rows and proxy out-of-distribution rows: a wrong
// answer and every proxy count as mistakes, AURC is measured over both together.
// Errors: as metrics::MeasureSelective.
absl::StatusOr<ScoreRanking> RankScores(absl::Span<const uncertainty::Answer> held_out,
                                        absl::Span<const size_t> labels,
                                        absl::Span<const uncertainty::Answer> proxies);

}  // namespace hydra::builder
