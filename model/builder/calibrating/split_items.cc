#include "model/builder/calibrating/split_items.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "absl/strings/str_cat.h"
#include "model/artifact/codec/json_reader.h"
#include "model/base/status_macros.h"
#include "nlohmann/json.hpp"

namespace hydra::builder {
namespace {

constexpr size_t kMaxItems = size_t{1} << 31;

artifact::Split Describe(const std::vector<std::string>& items) {
  std::vector<size_t> rows(items.size());
  std::iota(rows.begin(), rows.end(), size_t{0});
  return data::DescribeSplit(items, rows);
}

}  // namespace

SplitItems ItemsOf(const Pool& pool) {
  SplitItems items;
  for (const auto& [name, rows] : pool.splits) {
    std::vector<std::string>& digests = items[name];
    for (const size_t row : rows) digests.push_back(pool.data.digests[row]);
    std::sort(digests.begin(), digests.end());
  }
  return items;
}

std::string EncodeSplitItems(const SplitItems& items) {
  return nlohmann::json(items).dump(0) + "\n";
}

absl::StatusOr<SplitItems> ParseSplitItems(absl::string_view text) {
  using artifact::codec::JsonDocument;
  HYDRA_ASSIGN_OR_RETURN(JsonDocument document, JsonDocument::Parse(text, "splits.json"));
  SplitItems items;
  for (const auto& [name, node] : document.root().Members({1, 16})) {
    std::vector<std::string>& digests = items[name];
    for (const auto& item : node.Items({0, kMaxItems})) digests.push_back(item.Digest());
  }
  HYDRA_RETURN_IF_ERROR(document.Finish());
  return items;
}

absl::Status CheckSplits(const SplitItems& items,
                         const std::map<std::string, artifact::Split>& splits) {
  std::unordered_map<std::string, std::string> owner;
  for (const auto& [name, digests] : items) {
    for (const std::string& digest : digests) {
      const auto [found, inserted] = owner.emplace(digest, name);
      if (inserted || found->second == name) continue;
      return absl::FailedPreconditionError(absl::StrCat("splits: item ", digest, " is in both ",
                                                        found->second, " and ", name,
                                                        ", want disjoint splits"));
    }
  }
  for (const auto& [name, split] : splits) {
    const auto found = items.find(name);
    if (found == items.end()) continue;
    const artifact::Split described = Describe(found->second);
    if (described.n == split.n && described.digest == split.digest) continue;
    return absl::FailedPreconditionError(
        absl::StrCat("splits: ", name, ": calibration.json speaks of ", split.n, " rows ",
                     split.digest, ", splits.json of ", described.n, " rows ", described.digest));
  }
  return absl::OkStatus();
}

}  // namespace hydra::builder
