#include "model/builder/calibrating/default_score.h"

#include <limits>
#include <vector>

#include "model/base/status_macros.h"
#include "model/builder/quality/measures.h"
#include "model/metrics/detection.h"
#include "model/metrics/selective.h"
#include "nlohmann/json.hpp"

namespace hydra::builder {
namespace {

size_t MembersOf(absl::Span<const uncertainty::Answer> answers) {
  return answers[0].member_probs.size() / answers[0].mean_probs.size();
}

}  // namespace

absl::StatusOr<ScoreRanking> RankScores(absl::Span<const uncertainty::Answer> held_out,
                                        absl::Span<const size_t> labels,
                                        absl::Span<const uncertainty::Answer> proxies) {
  ScoreRanking ranking;
  const size_t members = held_out.empty() ? 1 : MembersOf(held_out);
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

absl::StatusOr<QuestionRankings> RankByQuestion(absl::Span<const uncertainty::Answer> held_out,
                                                absl::Span<const size_t> labels,
                                                absl::Span<const uncertainty::Answer> proxies) {
  if (held_out.empty()) return absl::InvalidArgumentError("held-out rows: got none");
  QuestionRankings rankings;
  double least_aurc = std::numeric_limits<double>::infinity(), most_auroc = -1.0;
  for (const uncertainty::Score score : ScoresOf(MembersOf(held_out))) {
    const std::string name(uncertainty::ScoreName(score));
    HYDRA_ASSIGN_OR_RETURN(const std::vector<uncertainty::ScoredRow> rows,
                           uncertainty::ScoreRows(held_out, labels, score));
    HYDRA_ASSIGN_OR_RETURN(const metrics::SelectiveMetrics selective,
                           metrics::MeasureSelective(rows));
    rankings.errors.value[name] = selective.aurc;
    if (selective.aurc < least_aurc) {
      least_aurc = selective.aurc;
      rankings.errors.best = name;
    }
    HYDRA_ASSIGN_OR_RETURN(const std::vector<double> id, ScoreValues(held_out, score));
    HYDRA_ASSIGN_OR_RETURN(const std::vector<double> ood, ScoreValues(proxies, score));
    HYDRA_ASSIGN_OR_RETURN(const metrics::DetectionMetrics detection,
                           metrics::MeasureDetection(id, ood));
    rankings.ood.value[name] = detection.auroc;
    if (detection.auroc > most_auroc) {
      most_auroc = detection.auroc;
      rankings.ood.best = name;
    }
  }
  return rankings;
}

nlohmann::ordered_json QuestionsJson(const QuestionRankings& rankings) {
  return {{"errors", {{"score", rankings.errors.best}, {"aurc", rankings.errors.value}}},
          {"ood", {{"score", rankings.ood.best}, {"auroc", rankings.ood.value}}}};
}

}  // namespace hydra::builder
