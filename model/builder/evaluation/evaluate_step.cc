#include "model/builder/evaluation/evaluate_step.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "model/base/file.h"
#include "model/base/sha256.h"
#include "model/base/status_macros.h"
#include "model/builder/calibrating/stored_calibration.h"
#include "model/builder/evaluation/evaluation_table.h"
#include "model/builder/evaluation/ledger.h"
#include "model/builder/evaluation/system_measures.h"
#include "model/builder/evaluation/systems.h"
#include "model/builder/files/step_directory.h"
#include "model/builder/source/final_data.h"
#include "model/builder/source/pool.h"
#include "model/builder/source/proxy_ood.h"
#include "model/ensemble/bundle_weights.h"
#include "nlohmann/json.hpp"

namespace hydra::builder {
namespace {

using Json = nlohmann::ordered_json;

// Items of the test set whose pixels are in the training pool too: reported, not refused, since a
// published test set is what it is.
size_t SharedItems(const LabelledData& test, const Pool& pool) {
  const std::unordered_set<std::string> known(pool.data.digests.begin(), pool.data.digests.end());
  return static_cast<size_t>(
      std::count_if(test.digests.begin(), test.digests.end(),
                    [&](const std::string& digest) { return known.count(digest) != 0; }));
}

absl::Status LoadFinal(const DataOptions& options, const Pool& pool, const StoredNetwork& stored,
                       EvaluationData& data, Json& record) {
  HYDRA_ASSIGN_OR_RETURN(FinalData final, LoadFinalData(options, stored.inputs, stored.labels));
  data.id = std::move(final.id);
  data.ood = std::move(final.ood);
  record["data"] = {{"name", "test"},
                    {"n", data.id.examples.size()},
                    {"digest", SetDigest(data.id)},
                    {"items_also_in_the_pool", SharedItems(data.id, pool)}};
  return absl::OkStatus();
}

absl::StatusOr<EvaluationData> LoadData(const DataOptions& options,
                                        const EvaluateStepOptions& evaluate,
                                        const StoredNetwork& stored, Json& record) {
  HYDRA_ASSIGN_OR_RETURN(const Pool pool, LoadPool(options, stored.inputs, stored.labels));
  EvaluationData data{.fit = pool.Select("fit"), .id = {}, .ood = {}};
  if (evaluate.final) {
    HYDRA_RETURN_IF_ERROR(LoadFinal(options, pool, stored, data, record));
  } else {
    data.id = pool.Select("select");
    data.ood["proxy"] = MakeProxyOod(data.id, stored.network.geometry.patch_size, evaluate.seed);
    record["data"] = {
        {"name", "select"}, {"n", data.id.examples.size()}, {"digest", SetDigest(data.id)}};
  }
  for (const auto& [set, images] : data.ood) record["ood"][set] = {{"n", images.examples.size()}};
  return data;
}

absl::StatusOr<std::vector<System>> ReadSystems(const EvaluateInputs& inputs,
                                                const StoredNetwork& stored) {
  std::vector<System> systems = {{"hydra", {stored}}};
  const auto add = [&](const char* name, const std::vector<std::string>& parts) -> absl::Status {
    if (parts.empty() || parts[0].empty()) return absl::OkStatus();
    HYDRA_ASSIGN_OR_RETURN(systems.emplace_back(), ReadSystem(name, parts, stored));
    return absl::OkStatus();
  };
  HYDRA_RETURN_IF_ERROR(add("single", {inputs.base}));
  HYDRA_RETURN_IF_ERROR(add("deep_ensemble", inputs.deep_ensemble));
  HYDRA_RETURN_IF_ERROR(add("random_masks", {inputs.random_masks}));
  return systems;
}

// Enters the look at the test set before any number of it is known.
absl::Status EnterLedger(const EvaluateInputs& inputs, const StoredNetwork& stored,
                         const StoredCalibration& calibration, Json& record, StepContext context) {
  if (inputs.ledger.empty()) {
    return absl::FailedPreconditionError("ledger: got none, want the file of final evaluations");
  }
  HYDRA_ASSIGN_OR_RETURN(const std::string weights, ensemble::EncodeWeights(stored.network));
  HYDRA_RETURN_IF_ERROR(
      AppendToLedger(inputs.ledger, {.when = context.clock.WallNow(),
                                     .what = "evaluate --final",
                                     .weights_digest = base::Sha256Hex(weights),
                                     .calibration_digest = calibration.digest,
                                     .test_digest = record["data"]["digest"].get<std::string>(),
                                     .n = record["data"]["n"].get<size_t>()}));
  HYDRA_ASSIGN_OR_RETURN(record["ledger"], ReadLedger(inputs.ledger));
  return absl::OkStatus();
}

// What all systems are measured by.
struct Yardstick {
  EvaluationData data;
  BootstrapOptions bootstrap;
  std::string default_score;
};

absl::Status EvaluateAll(const std::vector<System>& systems, const Yardstick& yardstick,
                         const StepDirectory& directory, Json& record, StepContext context) {
  std::vector<EvaluatedSystem> evaluated;
  std::vector<SystemMeasures> measures;
  size_t reference = 0;
  for (const System& system : systems) {
    if (system.name == "single") reference = evaluated.size();
    HYDRA_ASSIGN_OR_RETURN(evaluated.emplace_back(),
                           EvaluateSystem(system, yardstick.data, context.threads));
    HYDRA_ASSIGN_OR_RETURN(
        measures.emplace_back(),
        MeasureSystem(evaluated.back(), yardstick.default_score, yardstick.bootstrap));
    record["systems"].push_back(MeasuresJson(evaluated.back(), measures.back()));
    HYDRA_ASSIGN_OR_RETURN(const std::string bytes, EncodePredictions(evaluated.back()));
    HYDRA_RETURN_IF_ERROR(
        directory.Write(absl::StrCat("predictions-", system.name, ".safetensors"), bytes));
  }
  for (const std::string& line :
       EvaluationTable(evaluated, measures, yardstick.default_score, reference))
    context.console.Line(line);
  return absl::OkStatus();
}

}  // namespace

std::vector<OptionField> Fields(EvaluateStepOptions& options) {
  return {
      {"final", &options.final,
       "look at the test set and the named OOD sets, and enter it in the ledger; without it, the "
       "select split and proxies"},
      {"resamples", &options.resamples, "bootstrap resamples of an interval"},
      {"interval_level", &options.interval_level, "level of the intervals"},
      {"seed", &options.seed, "seed of the bootstrap and of the proxies"},
  };
}

absl::Status RunEvaluate(const DataOptions& data, const EvaluateStepOptions& options,
                         const EvaluateInputs& inputs, const std::string& out,
                         StepContext context) {
  at::set_num_threads(static_cast<int>(context.threads));
  HYDRA_ASSIGN_OR_RETURN(StepDirectory directory, StepDirectory::Create(out));
  HYDRA_ASSIGN_OR_RETURN(const StoredNetwork stored, ReadNetwork(inputs.network));
  HYDRA_ASSIGN_OR_RETURN(const StoredCalibration calibration,
                         ReadCalibration(inputs.calibration, stored));
  EvaluateStepOptions copy = options;
  Json record = {{"step", "evaluate"},
                 {"options", OptionsJson(Fields(copy))},
                 {"default_score", calibration.calibration.default_score}};
  HYDRA_ASSIGN_OR_RETURN(const std::vector<System> systems, ReadSystems(inputs, stored));
  Yardstick yardstick{.data = {},
                      .bootstrap = {options.resamples, options.interval_level, options.seed},
                      .default_score = calibration.calibration.default_score};
  HYDRA_ASSIGN_OR_RETURN(yardstick.data, LoadData(data, options, stored, record));
  record["ledger"] = Json::array();
  if (options.final) {
    HYDRA_RETURN_IF_ERROR(EnterLedger(inputs, stored, calibration, record, context));
  }
  HYDRA_RETURN_IF_ERROR(EvaluateAll(systems, yardstick, directory, record, context));
  HYDRA_RETURN_IF_ERROR(directory.Write("evaluation.json", record.dump(2) + "\n"));
  return directory.Commit();
}

}  // namespace hydra::builder
