#include "model/builder/evaluation/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "model/builder/quality/measures.h"

namespace hydra::builder {
namespace {

using uncertainty::Answer;
using uncertainty::ScoredRow;

constexpr double kSmallestProbability = 1e-12;  // as metrics::MeasureProbabilities clamps

// What each row contributes, so that a resample is a sum.
struct RowFacts {
  std::vector<double> nll, brier;
  std::vector<metrics::ConfidentRow> confident;
  std::vector<ScoredRow> scored;
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

Statistic AurcOf(std::vector<ScoredRow> scored) {
  const size_t rows = scored.size();
  const auto shared = std::make_shared<const std::vector<ScoredRow>>(std::move(scored));
  return {rows, [shared](absl::Span<const size_t> drawn) -> absl::StatusOr<double> {
            HYDRA_ASSIGN_OR_RETURN(const metrics::SelectiveMetrics selective,
                                   metrics::MeasureSelective(Gather(*shared, drawn)));
            return selective.aurc;
          }};
}

void AddRowStatistics(RowFacts made, Statistics& statistics) {
  const size_t rows = made.nll.size();
  statistics["aurc"] = AurcOf(std::move(made.scored));
  const auto facts = std::make_shared<const RowFacts>(std::move(made));
  statistics["accuracy"] = {
      rows, [facts](absl::Span<const size_t> drawn) -> absl::StatusOr<double> {
        const auto right = std::count_if(drawn.begin(), drawn.end(),
                                         [&](size_t i) { return facts->confident[i].correct; });
        return static_cast<double>(right) / static_cast<double>(drawn.size());
      }};
  statistics["nll"] = {rows, [facts](absl::Span<const size_t> drawn) -> absl::StatusOr<double> {
                         return MeanOf(facts->nll, drawn);
                       }};
  statistics["brier"] = {rows, [facts](absl::Span<const size_t> drawn) -> absl::StatusOr<double> {
                           return MeanOf(facts->brier, drawn);
                         }};
  statistics["ece"] = {rows, [facts](absl::Span<const size_t> drawn) -> absl::StatusOr<double> {
                         HYDRA_ASSIGN_OR_RETURN(const auto bins, metrics::EqualWidthBins(Gather(
                                                                     facts->confident, drawn)));
                         return metrics::ExpectedCalibrationError(bins);
                       }};
}

// Rows of both sets are drawn together.
Statistic AurocOf(const std::vector<double>& id, const std::vector<double>& ood) {
  const auto shared = std::make_shared<std::vector<double>>(id);
  shared->insert(shared->end(), ood.begin(), ood.end());
  const size_t of_id = id.size();
  return {shared->size(),
          [shared, of_id](absl::Span<const size_t> drawn) -> absl::StatusOr<double> {
            std::vector<double> drawn_id, drawn_ood;
            for (const size_t row : drawn)
              (row < of_id ? drawn_id : drawn_ood).push_back((*shared)[row]);
            HYDRA_ASSIGN_OR_RETURN(const metrics::DetectionMetrics detection,
                                   metrics::MeasureDetection(drawn_id, drawn_ood));
            return detection.auroc;
          }};
}

absl::StatusOr<std::vector<ScoredRow>> StreamOf(
    const EvaluatedSystem& system, const StreamPlan& plan,
    absl::FunctionRef<absl::StatusOr<std::vector<double>>(const std::vector<Answer>&)> score) {
  HYDRA_ASSIGN_OR_RETURN(const std::vector<Answer> answers, Answers(system.id, system.temperature));
  HYDRA_ASSIGN_OR_RETURN(const std::vector<double> values, score(answers));
  std::vector<ScoredRow> id;
  for (size_t i = 0; i < values.size(); ++i)
    id.push_back({values[i], answers[i].split.predicted_class == system.id.labels[i]});
  std::map<std::string, std::vector<double>> ood;
  for (const auto& [set, predictions] : system.ood) {
    HYDRA_ASSIGN_OR_RETURN(const auto of_set, Answers(predictions, system.temperature));
    HYDRA_ASSIGN_OR_RETURN(ood[set], score(of_set));
  }
  return StreamRows(plan, id, ood);
}

}  // namespace

absl::StatusOr<std::vector<ScoredRow>> StreamByScore(const EvaluatedSystem& system,
                                                     const StreamPlan& plan,
                                                     uncertainty::Score score) {
  return StreamOf(system, plan,
                  [&](const std::vector<Answer>& answers) { return ScoreValues(answers, score); });
}

absl::StatusOr<std::vector<ScoredRow>> StreamByCombiner(const EvaluatedSystem& system,
                                                        const StreamPlan& plan,
                                                        const ScoreCombiner& combiner) {
  return StreamOf(system, plan,
                  [&](const std::vector<Answer>& answers) { return combiner.Combine(answers); });
}

absl::StatusOr<Statistics> StatisticsOf(const EvaluatedSystem& system, const Ordering& ordering) {
  Statistics statistics;
  HYDRA_ASSIGN_OR_RETURN(const std::vector<Answer> answers, Answers(system.id, system.temperature));
  HYDRA_ASSIGN_OR_RETURN(RowFacts facts, FactsOf(answers, system.id.labels, ordering.score));
  AddRowStatistics(std::move(facts), statistics);
  HYDRA_ASSIGN_OR_RETURN(const std::vector<double> id, ScoreValues(answers, ordering.score));
  for (const auto& [set, predictions] : system.ood) {
    HYDRA_ASSIGN_OR_RETURN(const auto of_set, Answers(predictions, system.temperature));
    HYDRA_ASSIGN_OR_RETURN(const std::vector<double> ood, ScoreValues(of_set, ordering.score));
    statistics["auroc_" + set] = AurocOf(id, ood);
  }
  if (ordering.combiner == nullptr || ordering.stream == nullptr) return statistics;
  HYDRA_ASSIGN_OR_RETURN(std::vector<ScoredRow> stream,
                         StreamByCombiner(system, *ordering.stream, *ordering.combiner));
  statistics["mixed_aurc"] = AurcOf(std::move(stream));
  return statistics;
}

absl::StatusOr<std::map<std::string, Difference>> DifferencesOf(const Statistics& system,
                                                                const Statistics& reference,
                                                                const BootstrapOptions& bootstrap) {
  std::map<std::string, Difference> differences;
  for (const auto& [name, of_system] : system) {
    const auto found = reference.find(name);
    if (found == reference.end() || found->second.rows != of_system.rows) continue;
    const Statistic& ours = of_system;
    const Statistic& theirs = found->second;
    const auto difference = [&](absl::Span<const size_t> rows) -> absl::StatusOr<double> {
      HYDRA_ASSIGN_OR_RETURN(const double a, ours.of(rows));
      HYDRA_ASSIGN_OR_RETURN(const double b, theirs.of(rows));
      return a - b;
    };
    std::vector<size_t> all(ours.rows);
    std::iota(all.begin(), all.end(), size_t{0});
    HYDRA_ASSIGN_OR_RETURN(differences[name].value, difference(all));
    HYDRA_ASSIGN_OR_RETURN(differences[name].interval,
                           BootstrapInterval(ours.rows, bootstrap, difference));
  }
  return differences;
}

}  // namespace hydra::builder
