#include "model/builder/evaluation/evaluation_table.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace hydra::builder {
namespace {

std::string Row(const EvaluatedSystem& system, const SystemMeasures& measures,
                const std::string& default_score, const EvaluatedSystem& reference) {
  const Quality& quality = measures.scaled;
  const std::string score(uncertainty::ScoreName(OrderingScore(system, default_score)));
  const Interval& accuracy = measures.intervals.at("accuracy");
  std::string line =
      absl::StrFormat("%-14s %7.2f [%5.2f,%5.2f] %7.4f %7.4f %6.2f %7.2f", system.name,
                      100.0 * quality.probability.accuracy, 100.0 * accuracy.low,
                      100.0 * accuracy.high, quality.probability.nll, quality.probability.brier,
                      100.0 * quality.ece, 1000.0 * quality.selective.at(score).aurc);
  if (quality.members.has_value()) {
    absl::StrAppendFormat(&line, " %7.2f", 100.0 * quality.members->disagreement);
  } else {
    absl::StrAppend(&line, "       -");
  }
  for (const auto& [set, ood] : measures.ood)
    absl::StrAppendFormat(&line, " %12.1f", 100.0 * ood.by_score.at(score).auroc);
  if (measures.mixed.has_value())
    absl::StrAppendFormat(&line, " %7.1f", 1000.0 * measures.mixed->aurc.at("combined"));
  absl::StrAppendFormat(
      &line, " %6.2f %7.2f",
      static_cast<double>(system.cost.macs) / static_cast<double>(reference.cost.macs),
      static_cast<double>(system.cost.weight_bytes) /
          static_cast<double>(reference.cost.weight_bytes));
  return line;
}

}  // namespace

std::vector<std::string> EvaluationTable(const std::vector<EvaluatedSystem>& systems,
                                         const std::vector<SystemMeasures>& measures,
                                         const std::string& default_score, size_t reference) {
  std::string header =
      absl::StrFormat("%-14s %7s %13s %7s %7s %6s %7s %7s", "system", "acc %", "95 % interval",
                      "NLL", "Brier", "ECE %", "AURC m", "disagr");
  for (const auto& [set, ood] : measures[0].ood)
    absl::StrAppendFormat(&header, " %12s", absl::StrCat("AU ", set).substr(0, 12));
  if (measures[0].mixed.has_value()) absl::StrAppendFormat(&header, " %7s", "mixed m");
  absl::StrAppendFormat(&header, " %6s %7s", "MACs", "weights");
  std::vector<std::string> lines = {
      absl::StrCat(
          "at each system's temperature; AURC and AUROC by ", default_score,
          " (total_entropy for one member), mixed stream by each system's combiner; cost against ",
          systems[reference].name),
      header};
  for (size_t i = 0; i < systems.size(); ++i)
    lines.push_back(Row(systems[i], measures[i], default_score, systems[reference]));
  return lines;
}

}  // namespace hydra::builder
