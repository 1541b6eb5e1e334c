#include "model/builder/evaluation/system_measures.h"

#include <utility>

#include "model/base/status_macros.h"

namespace hydra::builder {
namespace {

using uncertainty::Answer;

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

absl::StatusOr<ShiftMeasures> MeasureShift(const Predictions& shifted, double temperature,
                                           const std::string& score) {
  HYDRA_ASSIGN_OR_RETURN(const Quality quality, MeasureQuality(shifted, temperature));
  return ShiftMeasures{.accuracy = quality.probability.accuracy,
                       .nll = quality.probability.nll,
                       .ece = quality.ece,
                       .aurc = quality.selective.at(score).aurc};
}

// Path rows and proxies: where a system's combiner and default scores come from.
struct Proxies {
  std::vector<Answer> path, proxies;
};

absl::StatusOr<Proxies> AnswerProxies(const EvaluatedSystem& system) {
  Proxies made;
  HYDRA_ASSIGN_OR_RETURN(made.path, Answers(system.path, system.temperature));
  HYDRA_ASSIGN_OR_RETURN(made.proxies, Answers(system.proxies, system.temperature));
  return made;
}

absl::StatusOr<MixedMeasures> MeasureMixed(const EvaluatedSystem& system, const StreamPlan& plan,
                                           const ScoreCombiner& combiner) {
  MixedMeasures mixed{.each = plan.each,
                      .parts = plan.parts,
                      .combiner = combiner.columns(),
                      .intercept = combiner.intercept()};
  const auto add = [&](const std::string& name, const auto& rows) -> absl::Status {
    HYDRA_RETURN_IF_ERROR(rows.status());
    HYDRA_ASSIGN_OR_RETURN(const metrics::SelectiveMetrics selective,
                           metrics::MeasureSelective(*rows));
    mixed.aurc[name] = selective.aurc;
    return absl::OkStatus();
  };
  for (const uncertainty::Score score : ScoresOf(system.id.members)) {
    HYDRA_RETURN_IF_ERROR(
        add(std::string(uncertainty::ScoreName(score)), StreamByScore(system, plan, score)));
  }
  HYDRA_RETURN_IF_ERROR(add("combined", StreamByCombiner(system, plan, combiner)));
  return mixed;
}

absl::StatusOr<TorchmetricsMeasures> MeasureAsTorchmetrics(const Predictions& predictions,
                                                           double temperature) {
  HYDRA_ASSIGN_OR_RETURN(const std::vector<Answer> answers, Answers(predictions, temperature));
  HYDRA_ASSIGN_OR_RETURN(const std::vector<metrics::ReliabilityBin> bins,
                         metrics::TorchmetricsBins(ConfidentRows(answers, predictions.labels)));
  return TorchmetricsMeasures{.l1 = metrics::ExpectedCalibrationError(bins),
                              .l2 = metrics::RootMeanSquareCalibrationError(bins),
                              .max = metrics::MaximumCalibrationError(bins)};
}

absl::Status AddQuality(const EvaluatedSystem& system, const Yardstick& yardstick,
                        SystemMeasures& measures) {
  HYDRA_ASSIGN_OR_RETURN(measures.raw, MeasureQuality(system.id, 1.0));
  HYDRA_ASSIGN_OR_RETURN(measures.scaled, MeasureQuality(system.id, system.temperature));
  const std::string score(uncertainty::ScoreName(OrderingScore(system, yardstick.default_score)));
  for (const auto& [name, shifted] : system.shifts) {
    HYDRA_ASSIGN_OR_RETURN(measures.shifts[name], MeasureShift(shifted, system.temperature, score));
  }
  HYDRA_ASSIGN_OR_RETURN(const std::vector<Answer> answers, Answers(system.id, system.temperature));
  for (const auto& [set, predictions] : system.ood) {
    HYDRA_ASSIGN_OR_RETURN(measures.ood[set], MeasureOod(answers, predictions, system.temperature));
  }
  if (yardstick.compat.empty()) return absl::OkStatus();
  HYDRA_ASSIGN_OR_RETURN(measures.torchmetrics_raw, MeasureAsTorchmetrics(system.id, 1.0));
  HYDRA_ASSIGN_OR_RETURN(measures.torchmetrics_scaled,
                         MeasureAsTorchmetrics(system.id, system.temperature));
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
                                             const Yardstick& yardstick) {
  SystemMeasures measures;
  HYDRA_RETURN_IF_ERROR(AddQuality(system, yardstick, measures));
  HYDRA_ASSIGN_OR_RETURN(const Proxies made, AnswerProxies(system));
  HYDRA_ASSIGN_OR_RETURN(measures.questions,
                         RankByQuestion(made.path, system.path.labels, made.proxies));
  Ordering ordering{.score = OrderingScore(system, yardstick.default_score)};
  std::optional<ScoreCombiner> combiner;
  std::optional<StreamPlan> plan;
  if (!system.ood.empty()) {
    std::map<std::string, size_t> rows;
    for (const auto& [set, predictions] : system.ood) rows[set] = predictions.rows;
    HYDRA_ASSIGN_OR_RETURN(
        plan, PlanStream(system.id.rows, rows, yardstick.near, yardstick.bootstrap.seed));
    HYDRA_ASSIGN_OR_RETURN(combiner,
                           ScoreCombiner::Fit(made.path, system.path.labels, made.proxies));
    HYDRA_ASSIGN_OR_RETURN(measures.mixed, MeasureMixed(system, *plan, *combiner));
    ordering.combiner = &*combiner;
    ordering.stream = &*plan;
  }
  HYDRA_ASSIGN_OR_RETURN(measures.statistics, StatisticsOf(system, ordering));
  for (const auto& [name, statistic] : measures.statistics) {
    HYDRA_ASSIGN_OR_RETURN(measures.intervals[name],
                           BootstrapInterval(statistic.rows, yardstick.bootstrap, statistic.of));
  }
  return measures;
}

}  // namespace hydra::builder
