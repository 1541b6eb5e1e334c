#include "model/builder/evaluation/evaluate_step.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "model/base/file.h"
#include "model/base/sha256.h"
#include "model/base/status_macros.h"
#include "model/builder/calibrating/stored_calibration.h"
#include "model/builder/evaluation/evaluation_record.h"
#include "model/builder/evaluation/evaluation_shard.h"
#include "model/builder/evaluation/ledger.h"
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

absl::Status LoadFinal(const DataOptions& options, const Pool& pool, const StoredNetwork& stored,
                       EvaluationData& data, Json& record) {
  HYDRA_ASSIGN_OR_RETURN(FinalData final, LoadFinalData(options, stored.inputs, stored.labels));
  data.id = std::move(final.id);
  data.ood = std::move(final.ood);
  data.near = std::move(final.near);
  record["data"] = {{"name", "test"},
                    {"n", data.id.examples.size()},
                    {"digest", SetDigest(data.id)},
                    {"items_also_in_the_pool", SharedItems(data.id, pool)}};
  return absl::OkStatus();
}

// The first rows of `data`, at most `count`.
LabelledData FirstRows(const LabelledData& data, size_t count) {
  std::vector<size_t> rows(std::min(count, data.examples.size()));
  std::iota(rows.begin(), rows.end(), size_t{0});
  return SelectRows(data, rows);
}

absl::StatusOr<EvaluationData> LoadData(const DataOptions& options,
                                        const EvaluateStepOptions& evaluate,
                                        const StoredNetwork& stored, Json& record) {
  HYDRA_ASSIGN_OR_RETURN(const Pool pool, LoadPool(options, stored.inputs, stored.labels));
  const size_t patch_size = stored.network.geometry.patch_size;
  EvaluationData data{
      .fit = pool.Select("fit"), .path = pool.Select("path"), .seed = evaluate.seed};
  data.proxies = MakeProxyOod(data.path, patch_size, evaluate.seed);
  if (evaluate.final) {
    HYDRA_RETURN_IF_ERROR(LoadFinal(options, pool, stored, data, record));
  } else {
    data.id = pool.Select("select");
    data.ood["proxy"] = MakeProxyOod(data.id, patch_size, evaluate.seed);
    record["data"] = {
        {"name", "select"}, {"n", data.id.examples.size()}, {"digest", SetDigest(data.id)}};
  }
  if (evaluate.shift_rows > 0) {
    data.shift_base = FirstRows(data.id, evaluate.shift_rows);
    record["shift"] = {{"n", data.shift_base.examples.size()}};
  }
  record["ood"] = Json::object();
  for (const auto& [set, rows] : data.ood) {
    record["ood"][set] = {{"n", rows.examples.size()},
                          {"distance", data.near.count(set) != 0 ? "near" : "far"}};
  }
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

// What a shard's numbers depend on.
absl::StatusOr<std::string> KeyOf(const std::vector<System>& systems, const Json& record) {
  Json made_from = record;
  for (const System& system : systems) {
    for (const StoredNetwork& part : system.parts) {
      HYDRA_ASSIGN_OR_RETURN(const std::string weights, ensemble::EncodeWeights(part.network));
      made_from["weights"][system.name].push_back(base::Sha256Hex(weights));
    }
  }
  return base::Sha256Hex(made_from.dump());
}

// Whether `out` holds this shard already.
bool IsDone(const std::string& out, Shard shard, const std::string& key) {
  const absl::StatusOr<std::string> text = base::ReadFile(out + "/shard.json", size_t{256} << 20);
  if (!text.ok()) return false;
  const Json json = Json::parse(*text, nullptr, false);
  return json.is_object() && json.value("key", Json()) == key &&
         json.value("shard", Json()) == shard.index && json.value("of", Json()) == shard.of;
}

absl::Status PredictAndWrite(const std::vector<System>& systems, const EvaluationData& data,
                             const Json& record, const StepDirectory& directory,
                             StepContext context) {
  std::vector<SystemPredictions> predictions;
  for (const System& system : systems) {
    HYDRA_ASSIGN_OR_RETURN(predictions.emplace_back(), PredictSystem(system, data, {}, context));
  }
  return WriteEvaluation(std::move(predictions), record, directory, context);
}

absl::Status PredictShard(const std::vector<System>& systems, const EvaluationData& data,
                          Shard shard, const StepDirectory& directory, StepContext context) {
  for (const System& system : systems) {
    HYDRA_ASSIGN_OR_RETURN(const SystemPredictions predictions,
                           PredictSystem(system, data, shard, context));
    HYDRA_ASSIGN_OR_RETURN(const std::string bytes, EncodeShardPredictions(predictions));
    HYDRA_RETURN_IF_ERROR(
        directory.Write(absl::StrCat("predictions-", system.name, ".safetensors"), bytes));
    context.console.Line(
        absl::StrFormat("evaluate  shard %d of %d  %s", shard.index, shard.of, system.name));
  }
  return absl::OkStatus();
}

absl::Status CheckOptions(const EvaluateStepOptions& options) {
  if (options.compat.empty() || options.compat == "torchmetrics") return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("compat: got \"", options.compat, "\", want torchmetrics or nothing"));
}

Json NamesOf(const std::vector<System>& systems) {
  Json names = Json::array();
  for (const System& system : systems) names.push_back(system.name);
  return names;
}

}  // namespace

std::vector<OptionField> Fields(EvaluateStepOptions& options) {
  return {
      {"final", &options.final,
       "look at the test set and the named OOD sets, and enter it in the ledger; without it, the "
       "select split and proxies"},
      {"resamples", &options.resamples, "bootstrap resamples of an interval"},
      {"interval_level", &options.interval_level, "level of the intervals"},
      {"seed", &options.seed,
       "seed of the bootstrap, the proxies, the mixed stream and the shifts"},
      {"reference", &options.reference, "system that paired differences are taken to"},
      {"shift_rows", &options.shift_rows,
       "rows that are corrupted in every way and severity; 0: none"},
      {"compat", &options.compat,
       "torchmetrics: calibration errors as that library bins them, too"},
  };
}

absl::Status RunEvaluate(const DataOptions& data, const EvaluateStepOptions& options,
                         const EvaluateInputs& inputs, const std::string& out,
                         StepContext context) {
  at::set_num_threads(static_cast<int>(context.threads));
  HYDRA_RETURN_IF_ERROR(CheckOptions(options));
  HYDRA_ASSIGN_OR_RETURN(const StoredNetwork stored, ReadNetwork(inputs.network));
  HYDRA_ASSIGN_OR_RETURN(const StoredCalibration calibration,
                         ReadCalibration(inputs.calibration, stored));
  EvaluateStepOptions copy = options;
  Json record = {{"step", "evaluate"},
                 {"options", OptionsJson(Fields(copy))},
                 {"default_score", calibration.calibration.default_score}};
  HYDRA_ASSIGN_OR_RETURN(const std::vector<System> systems, ReadSystems(inputs, stored));
  HYDRA_ASSIGN_OR_RETURN(const EvaluationData loaded, LoadData(data, options, stored, record));
  std::string key;
  if (!options.shard.whole()) {
    HYDRA_ASSIGN_OR_RETURN(key, KeyOf(systems, record));
    if (IsDone(out, options.shard, key)) {
      context.console.Line(absl::StrCat("evaluate  ", out, ": done already"));
      return absl::OkStatus();
    }
  }
  HYDRA_ASSIGN_OR_RETURN(StepDirectory directory, StepDirectory::Create(out));
  record["ledger"] = Json::array();
  if (options.final) {
    HYDRA_RETURN_IF_ERROR(EnterLedger(inputs, stored, calibration, record, context));
  }
  if (options.shard.whole()) {
    HYDRA_RETURN_IF_ERROR(PredictAndWrite(systems, loaded, record, directory, context));
  } else {
    HYDRA_RETURN_IF_ERROR(PredictShard(systems, loaded, options.shard, directory, context));
    HYDRA_RETURN_IF_ERROR(directory.Write(
        "shard.json", EncodeShard("evaluate", options.shard, key,
                                  {{"record", record}, {"systems", NamesOf(systems)}})));
  }
  return directory.Commit();
}

}  // namespace hydra::builder
