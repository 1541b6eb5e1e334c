#include "model/builder/zeroshot/failure_table.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "model/base/status_macros.h"
#include "nlohmann/json.hpp"

namespace hydra::builder {
namespace {

using Json = nlohmann::ordered_json;

absl::Status Named(const std::string& name, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(name, ": ", status.message()));
}

Json DetectionJson(const metrics::DetectionMetrics& measures, const char* positive,
                   const char* negative) {
  return {{"auroc", measures.auroc},
          {absl::StrCat("fpr95_", positive, "_positive"), measures.fpr95_ood_positive},
          {absl::StrCat("fpr95_", negative, "_positive"), measures.fpr95_id_positive}};
}

std::string Cells(const metrics::DetectionMetrics& measures) {
  return absl::StrFormat(" %.2f | %.1f / %.1f |", 100 * measures.auroc,
                         100 * measures.fpr95_ood_positive, 100 * measures.fpr95_id_positive);
}

}  // namespace

absl::StatusOr<FailureMeasures> MeasureFailures(const FailureScore& score) {
  FailureMeasures measures{.name = score.name};
  std::vector<double> right, wrong;
  std::vector<uncertainty::ScoredRow> rows;
  for (size_t i = 0; i < score.id.size(); ++i) {
    (score.correct[i] ? right : wrong).push_back(score.id[i]);
    rows.push_back({.score = score.id[i], .correct = score.correct[i]});
  }
  const auto errors = metrics::MeasureDetection(right, wrong);
  if (!errors.ok()) return Named(score.name, errors.status());
  measures.errors = *errors;
  HYDRA_ASSIGN_OR_RETURN(const metrics::SelectiveMetrics selective,
                         metrics::MeasureSelective(rows));
  measures.aurc = selective.aurc;
  measures.accuracy = 1.0 - selective.error_rate;
  for (const auto& [set, values] : score.ood) {
    const auto detection = metrics::MeasureDetection(score.id, values);
    if (!detection.ok()) return Named(score.name, detection.status());
    measures.ood[set] = *detection;
  }
  return measures;
}

Json FailuresJson(const std::vector<FailureMeasures>& rows) {
  Json json = Json::array();
  for (const FailureMeasures& row : rows) {
    Json ood = Json::object();
    for (const auto& [set, measures] : row.ood) ood[set] = DetectionJson(measures, "ood", "id");
    json.push_back({{"score", row.name},
                    {"accuracy", row.accuracy},
                    {"misclassification", DetectionJson(row.errors, "error", "correct")},
                    {"aurc", row.aurc},
                    {"ood", ood}});
  }
  return json;
}

std::vector<std::string> FailureTable(const std::vector<FailureMeasures>& rows) {
  std::string header = "| score | accuracy | errors AUROC | FPR95 | AURC |";
  std::string rule = "|---|---|---|---|---|";
  if (!rows.empty()) {
    for (const auto& [set, measures] : rows.front().ood) {
      absl::StrAppend(&header, " ", set, " AUROC | FPR95 |");
      absl::StrAppend(&rule, "---|---|");
    }
  }
  std::vector<std::string> lines = {header, rule};
  for (const FailureMeasures& row : rows) {
    std::string line = absl::StrFormat("| %s | %.2f |", row.name, 100 * row.accuracy);
    absl::StrAppend(&line, Cells(row.errors), absl::StrFormat(" %.2f |", 1000 * row.aurc));
    for (const auto& [set, measures] : row.ood) absl::StrAppend(&line, Cells(measures));
    lines.push_back(line);
  }
  return lines;
}

}  // namespace hydra::builder
