// Which score a new policy starts with.
#pragma once

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/uncertainty/answer.h"
#include "nlohmann/json_fwd.hpp"

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

// Two questions that the best score for one may answer badly for the other.
struct QuestionRanking {
  std::string best;                     // the earlier of kAllScores among equals
  std::map<std::string, double> value;  // by score
};

struct QuestionRankings {
  QuestionRanking errors;  // "is the answer wrong?": AURC over the held-out rows, lower is better
  QuestionRanking ood;     // "is the input unlike the data?": AUROC of the proxies against the
                           // held-out rows, higher is better
};

// Errors: as metrics::MeasureSelective and metrics::MeasureDetection.
absl::StatusOr<QuestionRankings> RankByQuestion(absl::Span<const uncertainty::Answer> held_out,
                                                absl::Span<const size_t> labels,
                                                absl::Span<const uncertainty::Answer> proxies);

// {"errors": {"score", "aurc": {...}}, "ood": {"score", "auroc": {...}}} for records.
nlohmann::ordered_json QuestionsJson(const QuestionRankings& rankings);

}  // namespace hydra::builder
