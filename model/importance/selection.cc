#include "model/importance/selection.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/rng.h"
#include "model/base/status_macros.h"

namespace hydra::importance {
namespace {

absl::Status CheckKeep(size_t keep, size_t heads) {
  if (keep >= 1 && keep <= heads) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("keep: got ", keep, ", want 1..", heads));
}

absl::Status CheckTables(const std::vector<std::vector<std::vector<double>>>& importance) {
  if (importance.empty() || importance[0].empty() || importance[0][0].empty()) {
    return absl::InvalidArgumentError("importance: got no values, want [members][layers][heads]");
  }
  for (size_t m = 0; m < importance.size(); ++m) {
    if (importance[m].size() != importance[0].size()) {
      return absl::InvalidArgumentError(absl::StrCat("importance[", m, "]: got ",
                                                     importance[m].size(), " layers, want ",
                                                     importance[0].size()));
    }
    for (size_t l = 0; l < importance[m].size(); ++l) {
      const auto& row = importance[m][l];
      const bool finite =
          std::all_of(row.begin(), row.end(), [](double v) { return std::isfinite(v); });
      if (row.size() == importance[0][0].size() && finite) continue;
      return absl::InvalidArgumentError(absl::StrCat("importance[", m, "][", l, "]: got ",
                                                     row.size(), " values, want ",
                                                     importance[0][0].size(), " finite ones"));
    }
  }
  return absl::OkStatus();
}

// The `keep` heads of smallest (key, index), ascending by index.
std::vector<size_t> Smallest(const std::vector<double>& keys, size_t keep) {
  std::vector<size_t> order(keys.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return keys[a] < keys[b]; });
  order.resize(keep);
  std::sort(order.begin(), order.end());
  return order;
}

// rank[h] = number of heads before h when sorted by falling importance.
std::vector<double> Ranks(const std::vector<double>& importance) {
  std::vector<size_t> order(importance.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return importance[a] > importance[b]; });
  std::vector<double> ranks(importance.size());
  for (size_t r = 0; r < order.size(); ++r) ranks[order[r]] = static_cast<double>(r);
  return ranks;
}

}  // namespace

absl::StatusOr<MemberHeads> SelectHeads(
    const std::vector<std::vector<std::vector<double>>>& importance,
    const SelectionOptions& options) {
  HYDRA_RETURN_IF_ERROR(CheckTables(importance));
  const size_t layers = importance[0].size(), heads = importance[0][0].size();
  HYDRA_RETURN_IF_ERROR(CheckKeep(options.keep, heads));
  std::vector<std::vector<double>> uses(layers, std::vector<double>(heads, 0.0));
  MemberHeads members;
  for (const auto& table : importance) {
    auto& kept = members.emplace_back();
    for (size_t l = 0; l < layers; ++l) {
      std::vector<double> keys = Ranks(table[l]);
      for (size_t h = 0; h < heads; ++h) keys[h] += options.overlap_penalty * uses[l][h];
      for (const size_t h : kept.emplace_back(Smallest(keys, options.keep))) uses[l][h] += 1.0;
    }
  }
  return members;
}

absl::StatusOr<MemberHeads> RandomHeads(size_t members, size_t layers, size_t heads, size_t keep,
                                        uint64_t seed) {
  HYDRA_RETURN_IF_ERROR(CheckKeep(keep, heads));
  base::Rng rng = base::Rng::ForPurpose(seed, "random heads");
  MemberHeads kept(members);
  for (auto& member : kept) {
    for (size_t l = 0; l < layers; ++l) {
      std::vector<size_t> order = rng.Permutation(heads);
      order.resize(keep);
      std::sort(order.begin(), order.end());
      member.push_back(order);
    }
  }
  return kept;
}

}  // namespace hydra::importance
