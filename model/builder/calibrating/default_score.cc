#include "model/builder/calibrating/default_score.h"

#include <limits>
#include <vector>

#include "model/base/status_macros.h"
#include "model/builder/quality/measures.h"
#include "model/metrics/selective.h"

namespace hydra::builder {

absl::StatusOr<ScoreRanking> RankScores(absl::Span<const uncertainty::Answer> held_out,
                                        absl::Span<const size_t> labels,
                                        absl::Span<const uncertainty::Answer> proxies) {
  ScoreRanking ranking;
  const size_t members =
      held_out.empty() ? 1 : held_out[0].member_probs.size() / held_out[0].mean_probs.size();
  double best = std::numeric_limits<double>::infinity();
  for (const uncertainty::Score score : ScoresOf(members)) {
    HYDRA_ASSIGN_OR_RETURN(std::vector<uncertainty::ScoredRow> rows,
                           uncertainty::ScoreRows(held_out, labels, score));
    HYDRA_ASSIGN_OR_RETURN(const std::vector<double> values, ScoreValues(proxies, score));
    for (const double value : values) rows.push_back({value, false});
    HYDRA_ASSIGN_OR_RETURN(const metrics::SelectiveMetrics metrics,
                           metrics::MeasureSelective(rows));
    const std::string name(uncertainty::ScoreName(score));
    ranking.aurc[name] = metrics.aurc;
    if (metrics.aurc < best) {
      best = metrics.aurc;
      ranking.best = name;
    }
  }
  return ranking;
}

}  // namespace hydra::builder
