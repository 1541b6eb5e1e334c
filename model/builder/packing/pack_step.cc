#include "model/builder/packing/pack_step.h"

#include <ATen/Parallel.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "model/artifact/bundle_writer.h"
#include "model/base/file.h"
#include "model/base/rng.h"
#include "model/base/status_macros.h"
#include "model/builder/calibrating/stored_calibration.h"
#include "model/builder/interpreting/interpretation.h"
#include "model/builder/networks/head_choice.h"
#include "model/builder/networks/stored_network.h"
#include "model/builder/packing/bundle_policy.h"
#include "model/builder/packing/bundle_report.h"
#include "model/builder/packing/golden.h"
#include "model/builder/packing/verify_step.h"
#include "model/builder/source/pool.h"
#include "model/ensemble/bundle_weights.h"
#include "model/ensemble/merge.h"
#include "nlohmann/json.hpp"

namespace hydra::builder {
namespace {

constexpr size_t kMaxHeadsBytes = size_t{256} << 20;

// The head map of `heads`, or one that says that every head is kept.
absl::StatusOr<artifact::HeadMap> ReadHeadMap(const std::string& heads,
                                              const StoredNetwork& stored) {
  if (!heads.empty()) {
    HYDRA_ASSIGN_OR_RETURN(const std::string text,
                           base::ReadFile(heads + "/heads.json", kMaxHeadsBytes));
    HYDRA_ASSIGN_OR_RETURN(const HeadChoice choice, ParseHeadChoice(text));
    artifact::HeadMap map = HeadMapOf(choice);
    if (map.kept == ensemble::KeptByMember(stored.network)) return map;
    return absl::FailedPreconditionError(
        absl::StrCat(heads, "/heads.json: other heads than those of the network"));
  }
  const artifact::Geometry& geometry = stored.network.geometry;
  const size_t members = stored.network.members;
  return artifact::HeadMap{
      .layers = geometry.layers,
      .members = members,
      .heads = geometry.heads,
      .kept = ensemble::KeptByMember(stored.network),
      .overlap = std::vector<std::vector<double>>(members, std::vector<double>(members, 1.0)),
      .provenance = {.selection = "all"}};
}

// Golden inputs come from "select", whose rows no certificate speaks of.
LabelledData GoldenInputs(const Pool& pool, const PackStepOptions& options) {
  const std::vector<size_t>& rows = pool.Rows("select");
  const std::vector<size_t> order =
      base::Rng::ForPurpose(options.seed, "golden rows").Permutation(rows.size());
  std::vector<size_t> chosen;
  for (size_t i = 0; i < std::min(options.golden_rows, rows.size()); ++i)
    chosen.push_back(rows[order[i]]);
  return SelectRows(pool.data, chosen);
}

void Describe(const StoredNetwork& stored, const PackStepOptions& options, const PackInputs& inputs,
              const StepContext& context, artifact::BundleDocuments& documents) {
  artifact::Manifest& manifest = documents.manifest;
  manifest.name = options.name;
  manifest.family = stored.family;
  manifest.geometry = stored.network.geometry;
  ensemble::DescribeNetwork(stored.network, manifest);
  manifest.provenance.base_digest = stored.base_digest;
  manifest.provenance.recipe = inputs.recipe;
  manifest.provenance.seed = options.seed;
  manifest.provenance.tool_version = HYDRA_VERSION;
  manifest.provenance.created =
      absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", context.clock.WallNow(), absl::UTCTimeZone());
  for (const auto& [name, split] : documents.calibration.splits)
    manifest.provenance.data_digests[name] = split.digest;
  documents.labels = stored.labels;
  documents.image_settings = stored.inputs.image;
  documents.text_settings = stored.inputs.text;
  documents.tokenizer_json = stored.inputs.tokenizer_json;
}

// What merge decided, if it was run.
absl::Status AddMergeChoices(const std::string& network,
                             std::map<std::string, std::string>& choices) {
  const absl::StatusOr<std::string> text = base::ReadFile(network + "/merge.json", kMaxHeadsBytes);
  if (absl::IsNotFound(text.status())) return absl::OkStatus();
  HYDRA_RETURN_IF_ERROR(text.status());
  const auto json = nlohmann::json::parse(*text, nullptr, false);
  if (!json.is_object() || !json.contains("options") || !json["options"].is_object()) {
    return absl::InvalidArgumentError(absl::StrCat(network, "/merge.json: not a record of merge"));
  }
  for (const auto& [name, value] : json["options"].items())
    choices["merge_" + name] = value.is_string() ? value.get<std::string>() : value.dump();
  for (const char* key : {"joint", "fell_back", "accuracy_drop"}) {
    if (json.contains(key)) choices[absl::StrCat("merge_", key)] = json[key].dump();
  }
  return absl::OkStatus();
}

absl::StatusOr<artifact::BundleContents> Assemble(const DataOptions& data,
                                                  const PackStepOptions& options,
                                                  const PackInputs& inputs, StepContext context) {
  HYDRA_ASSIGN_OR_RETURN(const StoredNetwork stored, ReadNetwork(inputs.network));
  artifact::BundleContents contents;
  artifact::BundleDocuments& documents = contents.documents;
  HYDRA_ASSIGN_OR_RETURN(StoredCalibration calibration,
                         ReadCalibration(inputs.calibration, stored));
  HYDRA_ASSIGN_OR_RETURN(const SplitItems items, ReadSplitItems(inputs.calibration));
  HYDRA_RETURN_IF_ERROR(CheckSplits(items, calibration.calibration.splits));
  documents.calibration = std::move(calibration.calibration);
  Describe(stored, options, inputs, context, documents);
  HYDRA_ASSIGN_OR_RETURN(documents.head_map, ReadHeadMap(inputs.heads, stored));
  if (!inputs.interpretation.empty()) {
    HYDRA_ASSIGN_OR_RETURN(const Interpretation interpretation,
                           ReadInterpretation(inputs.interpretation));
    HYDRA_RETURN_IF_ERROR(AddToHeadMap(interpretation, *documents.head_map));
  }
  documents.manifest.provenance.choices = documents.head_map->provenance.choices;
  HYDRA_RETURN_IF_ERROR(AddMergeChoices(inputs.network, documents.manifest.provenance.choices));
  HYDRA_ASSIGN_OR_RETURN(const Pool pool, LoadPool(data, stored.inputs, stored.labels));
  HYDRA_ASSIGN_OR_RETURN(Golden golden, MakeGolden(stored.network, GoldenInputs(pool, options),
                                                   {.bfloat16_margin = options.bfloat16_margin,
                                                    .threads = context.threads,
                                                    .seed = options.seed}));
  documents.manifest.provenance.choices.merge(GoldenChoices(golden));
  documents.golden = std::move(golden.answers);
  HYDRA_ASSIGN_OR_RETURN(documents.policy_json, PolicyJson(options, documents.calibration));
  HYDRA_ASSIGN_OR_RETURN(documents.report_html,
                         RenderBundleReport(documents, {inputs.evaluation, inputs.interpretation}));
  HYDRA_ASSIGN_OR_RETURN(contents.weights, ensemble::EncodeWeights(stored.network));
  context.console.Line(absl::StrFormat(
      "pack  golden answers of %d rows: bfloat16 differs by %.2g, a zeroed head by at least %.2g",
      documents.golden.batch, golden.bfloat16_error, golden.smallest_head_effect));
  return contents;
}

}  // namespace

std::vector<OptionField> Fields(PackStepOptions& options) {
  return {
      {"name", &options.name, "name of the bundle: [a-z0-9][a-z0-9._-]*"},
      {"golden_rows", &options.golden_rows, "inputs that a server replays before it serves"},
      {"bfloat16_margin", &options.bfloat16_margin,
       "tolerance in bfloat16 as a multiple of the measured error"},
      {"policy_risk", &options.policy_risk, "target risk of the bundle's policy; 0: none"},
      {"policy_coverage", &options.policy_coverage, "or its target coverage; 0: none"},
      {"seed", &options.seed, "seed recorded in the bundle; picks the golden rows"},
  };
}

absl::Status RunPack(const DataOptions& data, const PackStepOptions& options,
                     const PackInputs& inputs, const std::string& out, StepContext context) {
  at::set_num_threads(static_cast<int>(context.threads));
  HYDRA_ASSIGN_OR_RETURN(const artifact::BundleContents contents,
                         Assemble(data, options, inputs, context));
  HYDRA_ASSIGN_OR_RETURN(const std::string digest, artifact::WriteBundle(contents, out));
  context.console.Line(absl::StrCat("pack  ", out, " digest ", digest));
  return VerifyBundle(out, context);
}

}  // namespace hydra::builder
