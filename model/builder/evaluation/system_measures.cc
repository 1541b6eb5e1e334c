#include "model/builder/evaluation/system_measures.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "model/base/status_macros.h"

namespace hydra::builder {
namespace {

using uncertainty::Answer;

constexpr double kSmallestProbability = 1e-12;  // as metrics::MeasureProbabilities clamps

// What each row contributes, so that a resample is a sum.
struct RowFacts {
  std::vector<double> nll, brier;
  std::vector<metrics::ConfidentRow> confident;
  std::vector<uncertainty::ScoredRow> scored;
};

double BrierOf(const Answer& answer, size_t label) {
  double sum = 0.0;
  for (size_t c = 0; c < answer.mean_probs.size(); ++c) {
    const double difference = answer.mean_probs[c] - (c == label ? 1.0 : 0.0);
    sum += difference * difference;
  }
  return sum;
}

absl::StatusOr<RowFacts> FactsOf(const std::vector<Answer>& answers,
                                 const std::vector<size_t>& labels, uncertainty::Score score) {
  RowFacts facts{.confident = ConfidentRows(answers, labels)};
  for (size_t i = 0; i < answers.size(); ++i) {
    const double p = answers[i].mean_probs[labels[i]];
    facts.nll.push_back(-std::log(std::max(p, kSmallestProbability)));
    facts.brier.push_back(BrierOf(answers[i], labels[i]));
  }
  HYDRA_ASSIGN_OR_RETURN(facts.scored, uncertainty::ScoreRows(answers, labels, score));
  return facts;
}

template <typename Row>
std::vector<Row> Gather(const std::vector<Row>& rows, absl::Span<const size_t> indices) {
  std::vector<Row> gathered;
  gathered.reserve(indices.size());
  for (const size_t i : indices) gathered.push_back(rows[i]);
  return gathered;
}

double MeanOf(const std::vector<double>& values, absl::Span<const size_t> indices) {
  double sum = 0.0;
  for (const size_t i : indices) sum += values[i];
  return sum / static_cast<double>(indices.size());
}

using Statistic = std::function<absl::StatusOr<double>(absl::Span<const size_t>)>;

std::map<std::string, Statistic> StatisticsOf(const RowFacts& facts) {
  return {
      {"accuracy",
       [&](absl::Span<const size_t> rows) -> absl::StatusOr<double> {
         const auto right = std::count_if(rows.begin(), rows.end(),
                                          [&](size_t i) { return facts.confident[i].correct; });
         return static_cast<double>(right) / static_cast<double>(rows.size());
       }},
      {"nll",
       [&](absl::Span<const size_t> rows) -> absl::StatusOr<double> {
         return MeanOf(facts.nll, rows);
       }},
      {"brier",
       [&](absl::Span<const size_t> rows) -> absl::StatusOr<double> {
         return MeanOf(facts.brier, rows);
       }},
      {"ece",
       [&](absl::Span<const size_t> rows) -> absl::StatusOr<double> {
         HYDRA_ASSIGN_OR_RETURN(const auto bins,
                                metrics::EqualWidthBins(Gather(facts.confident, rows)));
         return metrics::ExpectedCalibrationError(bins);
       }},
      {"aurc",
       [&](absl::Span<const size_t> rows) -> absl::StatusOr<double> {
         HYDRA_ASSIGN_OR_RETURN(const metrics::SelectiveMetrics selective,
                                metrics::MeasureSelective(Gather(facts.scored, rows)));
         return selective.aurc;
       }},
  };
}

absl::StatusOr<OodMeasures> MeasureOod(const std::vector<Answer>& id, const Predictions& ood,
                                       double temperature) {
  HYDRA_ASSIGN_OR_RETURN(const std::vector<Answer> answers, Answers(ood, temperature));
  OodMeasures measures;
  for (const uncertainty::Score score : ScoresOf(ood.members)) {
    HYDRA_ASSIGN_OR_RETURN(const std::vector<double> id_scores, ScoreValues(id, score));
    HYDRA_ASSIGN_OR_RETURN(const std::vector<double> ood_scores, ScoreValues(answers, score));
    HYDRA_ASSIGN_OR_RETURN(measures.by_score[std::string(uncertainty::ScoreName(score))],
                           metrics::MeasureDetection(id_scores, ood_scores));
  }
  if (ood.members > 1) {
    HYDRA_ASSIGN_OR_RETURN(measures.members, metrics::CompareMembers(answers));
  }
  return measures;
}

// Rows of both sets are drawn together.
absl::StatusOr<Interval> AurocInterval(const std::vector<double>& id,
                                       const std::vector<double>& ood,
                                       const BootstrapOptions& bootstrap) {
  return BootstrapInterval(id.size() + ood.size(), bootstrap,
                           [&](absl::Span<const size_t> rows) -> absl::StatusOr<double> {
                             std::vector<double> drawn_id, drawn_ood;
                             for (const size_t row : rows) {
                               if (row < id.size()) {
                                 drawn_id.push_back(id[row]);
                               } else {
                                 drawn_ood.push_back(ood[row - id.size()]);
                               }
                             }
                             HYDRA_ASSIGN_OR_RETURN(const metrics::DetectionMetrics detection,
                                                    metrics::MeasureDetection(drawn_id, drawn_ood));
                             return detection.auroc;
                           });
}

absl::Status AddAurocIntervals(const EvaluatedSystem& system, uncertainty::Score score,
                               const BootstrapOptions& bootstrap, SystemMeasures& measures) {
  HYDRA_ASSIGN_OR_RETURN(const std::vector<Answer> id, Answers(system.id, system.temperature));
  HYDRA_ASSIGN_OR_RETURN(const std::vector<double> id_scores, ScoreValues(id, score));
  for (const auto& [set, predictions] : system.ood) {
    HYDRA_ASSIGN_OR_RETURN(const std::vector<Answer> ood, Answers(predictions, system.temperature));
    HYDRA_ASSIGN_OR_RETURN(const std::vector<double> ood_scores, ScoreValues(ood, score));
    HYDRA_ASSIGN_OR_RETURN(measures.intervals["auroc_" + set],
                           AurocInterval(id_scores, ood_scores, bootstrap));
  }
  return absl::OkStatus();
}

}  // namespace

uncertainty::Score OrderingScore(const EvaluatedSystem& system, const std::string& wanted) {
  const absl::StatusOr<uncertainty::Score> score = uncertainty::ParseScore(wanted);
  if (!score.ok() || (system.id.members == 1 && uncertainty::ComparesMembers(*score)))
    return uncertainty::Score::kTotalEntropy;
  return *score;
}

absl::StatusOr<SystemMeasures> MeasureSystem(const EvaluatedSystem& system,
                                             const std::string& default_score,
                                             const BootstrapOptions& bootstrap) {
  SystemMeasures measures;
  HYDRA_ASSIGN_OR_RETURN(measures.raw, MeasureQuality(system.id, 1.0));
  HYDRA_ASSIGN_OR_RETURN(measures.scaled, MeasureQuality(system.id, system.temperature));
  HYDRA_ASSIGN_OR_RETURN(const std::vector<Answer> answers, Answers(system.id, system.temperature));
  for (const auto& [set, predictions] : system.ood) {
    HYDRA_ASSIGN_OR_RETURN(measures.ood[set], MeasureOod(answers, predictions, system.temperature));
  }
  HYDRA_ASSIGN_OR_RETURN(const RowFacts facts,
                         FactsOf(answers, system.id.labels, OrderingScore(system, default_score)));
  for (const auto& [name, statistic] : StatisticsOf(facts)) {
    HYDRA_ASSIGN_OR_RETURN(measures.intervals[name],
                           BootstrapInterval(system.id.rows, bootstrap, statistic));
  }
  HYDRA_RETURN_IF_ERROR(
      AddAurocIntervals(system, OrderingScore(system, default_score), bootstrap, measures));
  return measures;
}

}  // namespace hydra::builder
