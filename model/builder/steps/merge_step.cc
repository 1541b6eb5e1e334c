#include "model/builder/steps/merge_step.h"

#include <ATen/Parallel.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "model/base/status_macros.h"
#include "model/builder/files/step_directory.h"
#include "model/builder/networks/stored_network.h"
#include "model/builder/quality/measures.h"
#include "model/builder/source/pool.h"
#include "model/ensemble/merge.h"
#include "nlohmann/json.hpp"

namespace hydra::builder {
namespace {

using Json = nlohmann::ordered_json;

absl::StatusOr<ensemble::MergePart> ParsePart(absl::string_view name, const std::string& text) {
  if (text == "average") return ensemble::MergePart::kAverage;
  if (text == "per_member") return ensemble::MergePart::kPerMember;
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": got \"", text, "\", want average or per_member"));
}

absl::StatusOr<ensemble::MergeOptions> ParseOptions(const MergeStepOptions& options) {
  ensemble::MergeOptions parsed;
  HYDRA_ASSIGN_OR_RETURN(parsed.mlp, ParsePart("mlp", options.mlp));
  HYDRA_ASSIGN_OR_RETURN(parsed.norms, ParsePart("norms", options.norms));
  HYDRA_ASSIGN_OR_RETURN(parsed.classifier, ParsePart("classifier", options.classifier));
  return parsed;
}

absl::StatusOr<std::vector<StoredNetwork>> ReadMembers(const std::string& directory) {
  std::error_code error;
  std::vector<StoredNetwork> members;
  for (size_t m = 0;; ++m) {
    const std::string path = absl::StrCat(directory, "/member-", m);
    if (!std::filesystem::exists(path, error)) break;
    HYDRA_ASSIGN_OR_RETURN(members.emplace_back(), ReadNetwork(path));
  }
  if (members.empty()) {
    return absl::NotFoundError(
        absl::StrCat(directory, ": no member-0 and no joint: not the output of finetune"));
  }
  return members;
}

Json QualityJson(const Quality& quality) {
  Json json = {{"accuracy", quality.probability.accuracy},
               {"nll", quality.probability.nll},
               {"ece", quality.ece},
               {"member_accuracy", quality.member_accuracy}};
  if (quality.members.has_value()) json["disagreement"] = quality.members->disagreement;
  return json;
}

void PrintQuality(absl::string_view what, const Quality& quality, Console& console) {
  const double disagreement = quality.members.has_value() ? quality.members->disagreement : 0.0;
  console.Line(
      absl::StrFormat("merge  %-10s accuracy %.2f %%  NLL %.4f  ECE %.2f %%  disagreement %.2f %%",
                      what, 100.0 * quality.probability.accuracy, quality.probability.nll,
                      100.0 * quality.ece, 100.0 * disagreement));
}

absl::StatusOr<Quality> MeasureSeparately(const std::vector<StoredNetwork>& members,
                                          const LabelledData& select, size_t threads) {
  std::vector<Predictions> parts;
  for (const StoredNetwork& member : members) {
    HYDRA_ASSIGN_OR_RETURN(parts.emplace_back(),
                           Predict(member.network, select, {.threads = threads}));
  }
  HYDRA_ASSIGN_OR_RETURN(const Predictions whole, StackMembers(parts));
  return MeasureQuality(whole, 1.0);
}

struct Merged {
  nn::Network network;
  Quality quality;
};

absl::StatusOr<Merged> MergeAndMeasure(const std::vector<StoredNetwork>& members,
                                       const ensemble::MergeOptions& options,
                                       const LabelledData& select, size_t threads) {
  std::vector<nn::Network> networks;
  for (const StoredNetwork& member : members) networks.push_back(member.network);
  Merged merged;
  HYDRA_ASSIGN_OR_RETURN(merged.network, ensemble::MergeMembers(networks, options));
  HYDRA_ASSIGN_OR_RETURN(const Predictions predictions,
                         Predict(merged.network, select, {.threads = threads}));
  HYDRA_ASSIGN_OR_RETURN(merged.quality, MeasureQuality(predictions, 1.0));
  return merged;
}

// The merged network, with per-member MLPs where averaging costs too much; fills `record`.
absl::StatusOr<nn::Network> Merge(const MergeStepOptions& options,
                                  const std::vector<StoredNetwork>& members,
                                  const LabelledData& select, Json& record, StepContext context) {
  HYDRA_ASSIGN_OR_RETURN(ensemble::MergeOptions parts, ParseOptions(options));
  HYDRA_ASSIGN_OR_RETURN(const Quality separate,
                         MeasureSeparately(members, select, context.threads));
  HYDRA_ASSIGN_OR_RETURN(Merged merged, MergeAndMeasure(members, parts, select, context.threads));
  record["separate"] = QualityJson(separate);
  record["merged"] = QualityJson(merged.quality);
  PrintQuality("separate", separate, context.console);
  PrintQuality("merged", merged.quality, context.console);
  const double drop = separate.probability.accuracy - merged.quality.probability.accuracy;
  const bool over = drop > options.tolerance;
  record["accuracy_drop"] = drop;
  record["over_tolerance"] = over;
  record["fell_back"] = over && options.fallback;
  if (!over || !options.fallback) return std::move(merged.network);
  context.console.Line(
      absl::StrFormat("merge  the drop of %.2f points exceeds %.2f: MLPs and norms stay per member",
                      100.0 * drop, 100.0 * options.tolerance));
  parts.mlp = parts.norms = ensemble::MergePart::kPerMember;
  HYDRA_ASSIGN_OR_RETURN(Merged fallback, MergeAndMeasure(members, parts, select, context.threads));
  record["fallback"] = QualityJson(fallback.quality);
  PrintQuality("per member", fallback.quality, context.console);
  return std::move(fallback.network);
}

}  // namespace

std::vector<OptionField> Fields(MergeStepOptions& options) {
  return {
      {"mlp", &options.mlp, "average or per_member"},
      {"norms", &options.norms, "LayerNorms: average or per_member"},
      {"classifier", &options.classifier, "with the last LayerNorm: average or per_member"},
      {"tolerance", &options.tolerance, "largest accepted drop of accuracy on select, 0..1"},
      {"fallback", &options.fallback, "keep MLPs and norms per member when the drop is larger"},
  };
}

absl::Status RunMerge(const DataOptions& data, const MergeStepOptions& options,
                      const std::string& members, const std::string& out, StepContext context) {
  at::set_num_threads(static_cast<int>(context.threads));
  HYDRA_ASSIGN_OR_RETURN(StepDirectory directory, StepDirectory::Create(out));
  MergeStepOptions copy = options;
  Json record = {{"step", "merge"}, {"options", OptionsJson(Fields(copy))}};
  std::error_code error;
  StoredNetwork result;
  if (std::filesystem::exists(members + "/joint", error)) {
    HYDRA_ASSIGN_OR_RETURN(result, ReadNetwork(members + "/joint"));
    record["joint"] = true;
    context.console.Line("merge  tuned jointly: nothing to merge");
  } else {
    HYDRA_ASSIGN_OR_RETURN(std::vector<StoredNetwork> networks, ReadMembers(members));
    HYDRA_ASSIGN_OR_RETURN(const Pool pool, LoadPool(data, networks[0].inputs, networks[0].labels));
    record["joint"] = false;
    HYDRA_ASSIGN_OR_RETURN(nn::Network network,
                           Merge(options, networks, pool.Select("select"), record, context));
    result = std::move(networks[0]);
    result.network = std::move(network);
  }
  HYDRA_RETURN_IF_ERROR(WriteNetwork(result, directory.temporary()));
  HYDRA_RETURN_IF_ERROR(directory.Write("merge.json", record.dump(2) + "\n"));
  return directory.Commit();
}

}  // namespace hydra::builder
