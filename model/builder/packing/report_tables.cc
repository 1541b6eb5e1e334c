#include "model/builder/packing/report_tables.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "model/builder/evaluation/system_measures.h"

namespace hydra::builder {
namespace {

using report::Better;
using report::ComparisonTable;
using report::Measurement;

std::optional<Measurement> Value(double value) { return Measurement{.mean = value}; }

double Mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

const EvaluatedSystem& Reference(const StoredEvaluation& evaluation) {
  const auto found =
      std::find_if(evaluation.systems.begin(), evaluation.systems.end(),
                   [](const EvaluatedSystem& system) { return system.name == "single"; });
  return found == evaluation.systems.end() ? evaluation.systems.front() : *found;
}

absl::StatusOr<std::vector<double>> ScoresAt(const Predictions& predictions, double temperature,
                                             uncertainty::Score score) {
  HYDRA_ASSIGN_OR_RETURN(const auto answers, Answers(predictions, temperature));
  return ScoreValues(answers, score);
}

// One row of the detection table: a system by one score.
absl::StatusOr<report::TableRow> DetectionRow(const EvaluatedSystem& system,
                                              uncertainty::Score score) {
  report::TableRow row{
      .name = absl::StrCat(system.name, ", ", std::string(uncertainty::ScoreName(score)))};
  HYDRA_ASSIGN_OR_RETURN(const std::vector<double> id,
                         ScoresAt(system.id, system.temperature, score));
  for (const auto& [set, predictions] : system.ood) {
    HYDRA_ASSIGN_OR_RETURN(const std::vector<double> ood,
                           ScoresAt(predictions, system.temperature, score));
    HYDRA_ASSIGN_OR_RETURN(const metrics::DetectionMetrics detection,
                           metrics::MeasureDetection(id, ood));
    row.values.push_back(Value(100.0 * detection.auroc));
    row.values.push_back(Value(100.0 * detection.aupr_ood_positive));
    row.values.push_back(Value(100.0 * detection.fpr95_ood_positive));
  }
  return row;
}

}  // namespace

absl::StatusOr<ComparisonTable> BaselineTable(const StoredEvaluation& evaluation,
                                              const std::string& default_score) {
  ComparisonTable table{
      .note = absl::StrCat("Measured on ", evaluation.systems[0].id.rows, " rows of ",
                           evaluation.data_name, ", each system at its own temperature; AURC by ",
                           default_score, ", or total_entropy where there is one member."),
      .columns = {{"Accuracy", Better::kHigher, 2, "%"},
                  {"NLL", Better::kLower, 4, "nats"},
                  {"Brier", Better::kLower, 4, ""},
                  {"ECE, 15 bins", Better::kLower, 2, "%"},
                  {"AURC", Better::kLower, 2, "1e-3"},
                  {"E-AURC", Better::kLower, 2, "1e-3"},
                  {"Disagreement", Better::kNeither, 2, "%"},
                  {"Member accuracy", Better::kHigher, 2, "%"}}};
  for (const EvaluatedSystem& system : evaluation.systems) {
    HYDRA_ASSIGN_OR_RETURN(const Quality quality, MeasureQuality(system.id, system.temperature));
    const std::string score(uncertainty::ScoreName(OrderingScore(system, default_score)));
    const metrics::SelectiveMetrics& selective = quality.selective.at(score);
    table.rows.push_back(
        {.name = system.name,
         .values = {Value(100.0 * quality.probability.accuracy), Value(quality.probability.nll),
                    Value(quality.probability.brier), Value(100.0 * quality.ece),
                    Value(1000.0 * selective.aurc), Value(1000.0 * selective.e_aurc),
                    quality.members.has_value() ? Value(100.0 * quality.members->disagreement)
                                                : std::nullopt,
                    Value(100.0 * Mean(quality.member_accuracy))},
         .highlighted = &system == &evaluation.systems.front()});
  }
  return table;
}

absl::StatusOr<ComparisonTable> DetectionTable(const StoredEvaluation& evaluation,
                                               const std::string& default_score) {
  ComparisonTable table{.note =
                            "Out-of-distribution rows are the positive class: AUPR is their "
                            "average precision, FPR95 the share of in-distribution rows "
                            "flagged when 95 % of them are caught."};
  for (const auto& [set, predictions] : evaluation.systems[0].ood) {
    table.columns.push_back({absl::StrCat(set, " AUROC"), Better::kHigher, 1, "%"});
    table.columns.push_back({absl::StrCat(set, " AUPR"), Better::kHigher, 1, "%"});
    table.columns.push_back({absl::StrCat(set, " FPR95"), Better::kLower, 1, "%"});
  }
  if (table.columns.empty()) return ComparisonTable{};
  for (const EvaluatedSystem& system : evaluation.systems) {
    for (const uncertainty::Score score : ScoresOf(system.id.members)) {
      HYDRA_ASSIGN_OR_RETURN(table.rows.emplace_back(), DetectionRow(system, score));
      table.rows.back().highlighted =
          &system == &evaluation.systems.front() && uncertainty::ScoreName(score) == default_score;
    }
  }
  return table;
}

ComparisonTable CostTable(const StoredEvaluation& evaluation) {
  const EvaluatedSystem& reference = Reference(evaluation);
  ComparisonTable table{.note = absl::StrCat("Exact counts; ratios are to ", reference.name,
                                             " computed plainly: all tokens in every layer."),
                        .columns = {{"MACs per image", Better::kLower, 2, "million"},
                                    {"Weights", Better::kLower, 2, "MB, float32"},
                                    {"MACs ratio", Better::kLower, 2, ""},
                                    {"Weights ratio", Better::kLower, 2, ""}}};
  for (const EvaluatedSystem& system : evaluation.systems) {
    const double macs = static_cast<double>(system.cost.macs);
    const double bytes = static_cast<double>(system.cost.weight_bytes);
    table.rows.push_back(
        {.name = system.name,
         .values = {Value(macs / 1e6), Value(bytes / 1e6),
                    Value(macs / static_cast<double>(reference.cost.macs)),
                    Value(bytes / static_cast<double>(reference.cost.weight_bytes))},
         .highlighted = &system == &evaluation.systems.front()});
  }
  return table;
}

}  // namespace hydra::builder
