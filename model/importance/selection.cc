#include "model/importance/selection.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "model/base/rng.h"
#include "model/base/status_macros.h"

namespace hydra::importance {
namespace {

absl::Status CheckKeep(size_t keep, size_t heads) {
  if (keep >= 1 && keep <= heads) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("keep: got ", keep, ", want 1..", heads));
}

absl::Status CheckTables(const std::vector<HeadTable>& importance) {
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

// K of every layer.
absl::StatusOr<std::vector<size_t>> KeepPerLayer(const SelectionOptions& options, size_t layers,
                                                 size_t heads) {
  if (options.keep_per_layer.empty()) {
    HYDRA_RETURN_IF_ERROR(CheckKeep(options.keep, heads));
    return std::vector<size_t>(layers, options.keep);
  }
  const auto& keep = options.keep_per_layer;
  if (keep.size() == layers && *std::max_element(keep.begin(), keep.end()) <= heads) return keep;
  return absl::InvalidArgumentError(absl::StrCat("keep per layer: got ", absl::StrJoin(keep, ", "),
                                                 ", want ", layers, " numbers from 0 to ", heads));
}

std::vector<double> Flatten(const HeadTable& table, LayerScale scale) {
  std::vector<double> flat;
  for (const std::vector<double>& row : table) {
    const double norm =
        std::sqrt(std::inner_product(row.begin(), row.end(), row.begin(), 0.0)) + 1e-20;
    for (const double value : row)
      flat.push_back(scale == LayerScale::kUnitNorm ? value / norm : value);
  }
  return flat;
}

// The smallest keys, at least some of every layer.
std::vector<size_t> SmallestOverall(std::vector<double> keys, size_t heads,
                                    const GlobalOptions& options) {
  for (size_t first = 0; first < keys.size(); first += heads) {
    const auto begin = keys.begin() + static_cast<std::ptrdiff_t>(first);
    const std::vector<double> layer(begin, begin + static_cast<std::ptrdiff_t>(heads));
    for (const size_t h : Smallest(layer, options.at_least_per_layer))
      keys[first + h] = -std::numeric_limits<double>::infinity();
  }
  return Smallest(keys, options.budget);
}

absl::Status CheckGlobal(const GlobalOptions& options, size_t layers, size_t heads) {
  const size_t least = std::max<size_t>(1, layers * options.at_least_per_layer);
  if (options.at_least_per_layer <= heads && options.budget >= least &&
      options.budget <= layers * heads) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "budget: got ", options.budget, " heads with at least ", options.at_least_per_layer,
      " in each layer, want ", least, "..", layers * heads, " of ", layers, " layers of ", heads));
}

absl::Status CheckClusters(const HeadTable& scores,
                           const std::vector<std::vector<size_t>>& clusters) {
  bool fits = scores.size() == clusters.size();
  for (size_t l = 0; fits && l < scores.size(); ++l) fits = scores[l].size() == clusters[l].size();
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("clusters: got ", clusters.size(),
                                                 " layers, want one number for each head of ",
                                                 scores.size(), " layers"));
}

}  // namespace

std::vector<size_t> BestHeads(const std::vector<double>& importance,
                              const std::vector<double>& lost_ranks, size_t keep) {
  std::vector<double> keys = Ranks(importance);
  for (size_t h = 0; h < keys.size(); ++h) keys[h] += lost_ranks[h];
  return Smallest(keys, keep);
}

absl::StatusOr<MemberHeads> SelectHeads(const std::vector<HeadTable>& importance,
                                        const SelectionOptions& options) {
  HYDRA_RETURN_IF_ERROR(CheckTables(importance));
  const size_t layers = importance[0].size(), heads = importance[0][0].size();
  HYDRA_ASSIGN_OR_RETURN(const std::vector<size_t> keep, KeepPerLayer(options, layers, heads));
  HeadTable lost(layers, std::vector<double>(heads, 0.0));
  MemberHeads members;
  for (const auto& table : importance) {
    auto& kept = members.emplace_back();
    for (size_t l = 0; l < layers; ++l) {
      for (const size_t h : kept.emplace_back(BestHeads(table[l], lost[l], keep[l])))
        lost[l][h] += options.overlap_penalty;
    }
  }
  return members;
}

absl::StatusOr<MemberHeads> SelectGlobally(const std::vector<HeadTable>& importance,
                                           const GlobalOptions& options) {
  HYDRA_RETURN_IF_ERROR(CheckTables(importance));
  const size_t layers = importance[0].size(), heads = importance[0][0].size();
  HYDRA_RETURN_IF_ERROR(CheckGlobal(options, layers, heads));
  std::vector<double> lost(layers * heads, 0.0);
  MemberHeads members;
  for (const HeadTable& table : importance) {
    std::vector<double> keys = Ranks(Flatten(table, options.scale));
    for (size_t i = 0; i < keys.size(); ++i) keys[i] += lost[i];
    auto& kept = members.emplace_back(layers);
    for (const size_t i : SmallestOverall(std::move(keys), heads, options)) {
      kept[i / heads].push_back(i % heads);
      lost[i] += options.overlap_penalty;
    }
  }
  return members;
}

absl::StatusOr<std::vector<HeadTable>> SteerToClusters(
    const HeadTable& scores, const std::vector<std::vector<size_t>>& clusters, size_t members,
    double bonus) {
  HYDRA_RETURN_IF_ERROR(CheckTables({scores}));
  HYDRA_RETURN_IF_ERROR(CheckClusters(scores, clusters));
  if (members == 0 || !(bonus >= 0.0 && bonus <= 1.0)) {
    return absl::InvalidArgumentError(absl::StrCat("members: got ", members, " with a bonus of ",
                                                   bonus, ", want at least 1 and a bonus in 0..1"));
  }
  size_t count = 0;
  for (const auto& row : clusters)
    count = std::max(count, *std::max_element(row.begin(), row.end()) + 1);
  const std::vector<double> ranks = Ranks(Flatten(scores, LayerScale::kNone));
  const size_t heads = scores[0].size();
  std::vector<HeadTable> steered(members, scores);
  for (size_t m = 0; m < members; ++m) {
    for (size_t i = 0; i < ranks.size(); ++i) {
      const bool inside = clusters[i / heads][i % heads] == m % count;
      const double gain = inside ? bonus * static_cast<double>(ranks.size()) : 0.0;
      steered[m][i / heads][i % heads] = gain - ranks[i];
    }
  }
  return steered;
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
