#include "model/builder/sharding/merge_shards.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "model/builder/evaluation/evaluation_record.h"
#include "model/builder/evaluation/evaluation_shard.h"
#include "model/builder/files/shard.h"
#include "model/builder/files/step_directory.h"
#include "model/builder/networks/head_choice.h"

namespace hydra::builder {
namespace {

using Json = nlohmann::ordered_json;

absl::Status Malformed(const ShardRecord& shard, absl::string_view field) {
  return absl::InvalidArgumentError(
      absl::StrCat(shard.directory, "/shard.json: ", field, ": missing or of another type"));
}

// Every member's importance from the shard that scored it.
absl::Status MergeScores(const std::vector<ShardRecord>& shards, const StepDirectory& directory) {
  Json whole;
  for (const ShardRecord& shard : shards) {
    const Json scores = shard.document.value("scores", Json());
    if (!scores.is_object() || !scores.contains("importance") || !scores["importance"].is_array())
      return Malformed(shard, "scores.importance");
    if (whole.is_null()) whole = scores;
    const Json& importance = scores["importance"];
    if (importance.size() != whole["importance"].size()) return Malformed(shard, "importance");
    for (size_t m = 0; m < importance.size(); ++m) {
      if (shard.shard.Owns(m)) whole["importance"][m] = importance[m];
    }
  }
  HYDRA_ASSIGN_OR_RETURN(const HeadScores merged, ParseHeadScores(whole.dump()));
  return directory.Write("scores.json", EncodeHeadScores(merged));
}

// The looks at the test set that all shards together know of.
Json LongestLedger(const std::vector<ShardRecord>& shards) {
  Json longest = Json::array();
  for (const ShardRecord& shard : shards) {
    const Json ledger = shard.document["record"].value("ledger", Json::array());
    if (ledger.size() > longest.size()) longest = ledger;
  }
  return longest;
}

absl::Status MergeEvaluation(const std::vector<ShardRecord>& shards, const StepDirectory& directory,
                             StepContext context) {
  for (const ShardRecord& shard : shards) {
    if (!shard.document.contains("record") || !shard.document["record"].is_object())
      return Malformed(shard, "record");
  }
  const Json names = shards.front().document.value("systems", Json());
  if (!names.is_array() || names.empty()) return Malformed(shards.front(), "systems");
  std::vector<SystemPredictions> predictions;
  for (const Json& name : names) {
    if (!name.is_string() || name.get<std::string>().find('/') != std::string::npos)
      return Malformed(shards.front(), "systems");
    HYDRA_ASSIGN_OR_RETURN(predictions.emplace_back(),
                           JoinShardPredictions(name.get<std::string>(), shards));
    context.console.Line(
        absl::StrCat("merge-shards  ", name.get<std::string>(), " of ", shards.size(), " shards"));
  }
  Json record = shards.front().document["record"];
  record["ledger"] = LongestLedger(shards);
  return WriteEvaluation(std::move(predictions), std::move(record), directory, context);
}

}  // namespace

absl::Status MergeShards(const std::vector<std::string>& shards, const std::string& out,
                         StepContext context) {
  HYDRA_ASSIGN_OR_RETURN(const std::vector<ShardRecord> records, ReadShards(shards));
  HYDRA_ASSIGN_OR_RETURN(StepDirectory directory, StepDirectory::Create(out));
  const Json& step = records.front().document["step"];
  if (step == "score") {
    HYDRA_RETURN_IF_ERROR(MergeScores(records, directory));
  } else if (step == "evaluate") {
    HYDRA_RETURN_IF_ERROR(MergeEvaluation(records, directory, context));
  } else {
    return absl::InvalidArgumentError(absl::StrCat(records.front().directory, ": got a shard of ",
                                                   step.dump(), ", want score or evaluate"));
  }
  return directory.Commit();
}

}  // namespace hydra::builder
