#include "model/builder/evaluation/evaluation_record.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "model/base/sha256.h"
#include "model/base/status_macros.h"
#include "model/builder/evaluation/evaluation_table.h"

namespace hydra::builder {
namespace {

using Json = nlohmann::ordered_json;

absl::Status Missing(const std::string& field) {
  return absl::InvalidArgumentError(
      absl::StrCat("record of evaluate: ", field, ": missing or of another type"));
}

absl::StatusOr<std::vector<EvaluatedSystem>> FinishAll(std::vector<SystemPredictions> predictions) {
  std::vector<EvaluatedSystem> systems;
  for (SystemPredictions& of_system : predictions) {
    HYDRA_ASSIGN_OR_RETURN(systems.emplace_back(), FinishSystem(std::move(of_system)));
  }
  return systems;
}

// The place of the system with this name, or the number of systems.
size_t Find(const std::vector<EvaluatedSystem>& systems, const std::string& name) {
  size_t i = 0;
  while (i < systems.size() && systems[i].name != name) ++i;
  return i;
}

}  // namespace

absl::StatusOr<Yardstick> YardstickOf(const Json& record) {
  const Json options = record.value("options", Json());
  for (const char* key : {"resamples", "seed"}) {
    if (!options.contains(key) || !options[key].is_number_unsigned()) return Missing(key);
  }
  for (const char* key : {"reference", "compat"}) {
    if (!options.contains(key) || !options[key].is_string()) return Missing(key);
  }
  if (!options.contains("interval_level") || !options["interval_level"].is_number())
    return Missing("interval_level");
  if (!record.contains("default_score") || !record["default_score"].is_string())
    return Missing("default_score");
  Yardstick yardstick{.default_score = record["default_score"],
                      .bootstrap = {options["resamples"], options["interval_level"],
                                    options["seed"].get<uint64_t>()},
                      .reference = options["reference"],
                      .compat = options["compat"]};
  if (!record.contains("ood")) return yardstick;
  for (const auto& [set, facts] : record["ood"].items()) {
    if (!facts.is_object() || !facts.contains("distance")) return Missing("ood." + set);
    if (facts["distance"] == "near") yardstick.near.insert(set);
  }
  return yardstick;
}

absl::Status WriteEvaluation(std::vector<SystemPredictions> predictions, Json record,
                             const StepDirectory& directory, StepContext context) {
  HYDRA_ASSIGN_OR_RETURN(const Yardstick yardstick, YardstickOf(record));
  HYDRA_ASSIGN_OR_RETURN(const std::vector<EvaluatedSystem> systems,
                         FinishAll(std::move(predictions)));
  std::vector<SystemMeasures> measures;
  for (const EvaluatedSystem& system : systems) {
    HYDRA_ASSIGN_OR_RETURN(measures.emplace_back(), MeasureSystem(system, yardstick));
  }
  const size_t reference = Find(systems, yardstick.reference);
  for (size_t i = 0; i < systems.size(); ++i) {
    if (reference < systems.size() && i != reference) {
      HYDRA_ASSIGN_OR_RETURN(measures[i].differences,
                             DifferencesOf(measures[i].statistics, measures[reference].statistics,
                                           yardstick.bootstrap));
    }
    Json json = MeasuresJson(systems[i], measures[i]);
    HYDRA_ASSIGN_OR_RETURN(const std::string bytes, EncodePredictions(systems[i]));
    json["predictions_digest"] = base::Sha256Hex(bytes);
    record["systems"].push_back(std::move(json));
    HYDRA_RETURN_IF_ERROR(
        directory.Write(absl::StrCat("predictions-", systems[i].name, ".safetensors"), bytes));
  }
  const size_t single = Find(systems, "single");
  for (const std::string& line : EvaluationTable(systems, measures, yardstick.default_score,
                                                 single < systems.size() ? single : 0)) {
    context.console.Line(line);
  }
  Json timeless = record;
  timeless.erase("ledger");
  record["digest"] = base::Sha256Hex(timeless.dump());
  return directory.Write("evaluation.json", record.dump(2) + "\n");
}

}  // namespace hydra::builder
