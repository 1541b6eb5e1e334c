#include "model/builder/files/shard.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "model/base/file.h"
#include "model/base/status_macros.h"

namespace hydra::builder {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMaxRecordBytes = size_t{256} << 20;
constexpr size_t kMostShards = 10000;

bool HasText(const Json& json, const char* key) {
  return json.contains(key) && json[key].is_string();
}

bool HasCount(const Json& json, const char* key) {
  return json.contains(key) && json[key].is_number_unsigned();
}

absl::StatusOr<ShardRecord> ReadShard(const std::string& directory) {
  const std::string path = directory + "/shard.json";
  HYDRA_ASSIGN_OR_RETURN(const std::string text, base::ReadFile(path, kMaxRecordBytes));
  ShardRecord record{.directory = directory, .document = Json::parse(text, nullptr, false)};
  const Json& json = record.document;
  if (json.is_object() && HasText(json, "step") && HasText(json, "key") &&
      HasCount(json, "shard") && HasCount(json, "of")) {
    record.shard = {json["shard"].get<size_t>(), json["of"].get<size_t>()};
    if (record.shard.index >= 1 && record.shard.index <= record.shard.of &&
        record.shard.of <= kMostShards) {
      return record;
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": want step, key and a shard of 1..", kMostShards));
}

absl::Status CheckAlike(const ShardRecord& a, const ShardRecord& b) {
  if (a.document["step"] == b.document["step"] && a.document["key"] == b.document["key"] &&
      a.shard.of == b.shard.of) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      b.directory, ": shard of another step, other inputs or another number of shards than ",
      a.directory));
}

}  // namespace

absl::StatusOr<Shard> ParseShard(absl::string_view text) {
  if (text.empty()) return Shard{};
  const std::vector<absl::string_view> parts = absl::StrSplit(text, '/');
  Shard shard;
  if (parts.size() == 2 && absl::SimpleAtoi(parts[0], &shard.index) &&
      absl::SimpleAtoi(parts[1], &shard.of) && shard.index >= 1 && shard.index <= shard.of &&
      shard.of <= kMostShards) {
    return shard;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("shard: got \"", text, "\", want I/N with 1 <= I <= N <= ", kMostShards));
}

std::string EncodeShard(const std::string& step, Shard shard, const std::string& key,
                        const Json& contents) {
  Json json = {{"step", step}, {"shard", shard.index}, {"of", shard.of}, {"key", key}};
  json.update(contents);
  return json.dump(1) + "\n";
}

absl::StatusOr<std::vector<ShardRecord>> ReadShards(const std::vector<std::string>& directories) {
  if (directories.empty()) return absl::InvalidArgumentError("shards: got no directory");
  std::vector<ShardRecord> records;
  for (const std::string& directory : directories) {
    HYDRA_ASSIGN_OR_RETURN(records.emplace_back(), ReadShard(directory));
    HYDRA_RETURN_IF_ERROR(CheckAlike(records.front(), records.back()));
  }
  std::stable_sort(records.begin(), records.end(), [](const ShardRecord& a, const ShardRecord& b) {
    return a.shard.index < b.shard.index;
  });
  for (size_t i = 0; i < records.size(); ++i) {
    const Shard& shard = records[i].shard;
    if (i > 0 && shard.index == records[i - 1].shard.index) {
      return absl::InvalidArgumentError(absl::StrCat("shard ", shard.index, " of ", shard.of,
                                                     ": given twice, ", records[i - 1].directory,
                                                     " and ", records[i].directory));
    }
    if (shard.index != i + 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("shard ", i + 1, " of ", shard.of, ": missing"));
    }
  }
  if (records.size() != records.front().shard.of) {
    return absl::InvalidArgumentError(
        absl::StrCat("shard ", records.size() + 1, " of ", records.front().shard.of, ": missing"));
  }
  return records;
}

}  // namespace hydra::builder
