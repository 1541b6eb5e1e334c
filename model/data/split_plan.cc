#include "model/data/split_plan.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/sha256.h"

namespace hydra::data {
namespace {

// Rows with equal contents, in the order of the draw.
std::vector<std::vector<size_t>> DrawGroups(absl::Span<const std::string> item_digests,
                                            uint64_t seed) {
  std::map<std::string, std::vector<size_t>> groups;
  for (size_t i = 0; i < item_digests.size(); ++i) {
    groups[base::Sha256Hex(absl::StrCat(seed, ":", item_digests[i]))].push_back(i);
  }
  std::vector<std::vector<size_t>> ordered;
  for (auto& [key, rows] : groups) ordered.push_back(std::move(rows));
  return ordered;
}

std::vector<std::pair<std::string, size_t>> Wanted(const SplitSizes& sizes) {
  return {{"select", sizes.select},
          {"fit", sizes.fit},
          {"path", sizes.path},
          {"certify", sizes.certify},
          {"conformal", sizes.conformal}};
}

}  // namespace

absl::StatusOr<SplitRows> SplitPool(absl::Span<const std::string> item_digests,
                                    const SplitSizes& sizes, uint64_t seed) {
  SplitRows splits;
  const auto wanted = Wanted(sizes);
  size_t held_out = 0;
  for (const auto& [name, n] : wanted) {
    splits[name];
    held_out += n;
  }
  std::vector<size_t>& rest = splits[kRestOfPool];
  size_t current = 0;
  for (const std::vector<size_t>& group : DrawGroups(item_digests, seed)) {
    while (current < wanted.size() &&
           splits[wanted[current].first].size() == wanted[current].second)
      ++current;
    const bool fits = current < wanted.size() &&
                      splits[wanted[current].first].size() + group.size() <= wanted[current].second;
    std::vector<size_t>& target = fits ? splits[wanted[current].first] : rest;
    target.insert(target.end(), group.begin(), group.end());
  }
  for (const auto& [name, n] : wanted) {
    if (splits[name].size() == n && !rest.empty()) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("splits: got ", item_digests.size(), " items, want more than the ", held_out,
                     " of select, fit, path, certify and conformal together"));
  }
  for (auto& [name, rows] : splits) std::sort(rows.begin(), rows.end());
  return splits;
}

artifact::Split DescribeSplit(absl::Span<const std::string> item_digests,
                              absl::Span<const size_t> rows) {
  std::vector<std::string> digests;
  for (size_t row : rows) digests.push_back(item_digests[row]);
  std::sort(digests.begin(), digests.end());
  base::Sha256 sha;
  for (const std::string& digest : digests) sha.Update(digest);
  return {.n = rows.size(), .digest = std::move(sha).HexDigest()};
}

}  // namespace hydra::data
