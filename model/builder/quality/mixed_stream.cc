#include "model/builder/quality/mixed_stream.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/rng.h"

namespace hydra::builder {
namespace {

void AddRows(const std::string& set, size_t count, std::vector<StreamRow>& rows) {
  for (size_t row = 0; row < count; ++row) rows.push_back({set, row});
}

}  // namespace

absl::StatusOr<StreamPlan> PlanStream(size_t id_rows, const std::map<std::string, size_t>& ood_rows,
                                      const std::set<std::string>& near, uint64_t seed) {
  std::vector<StreamRow> id, near_rows, far_rows;
  AddRows("", id_rows, id);
  for (const auto& [set, count] : ood_rows)
    AddRows(set, count, near.count(set) != 0 ? near_rows : far_rows);
  StreamPlan plan;
  if (id.empty() || (near_rows.empty() && far_rows.empty())) {
    return absl::FailedPreconditionError(
        absl::StrCat("mixed stream: got ", id.size(), " in-distribution rows and ",
                     near_rows.size() + far_rows.size(), " others, want at least 1 of each"));
  }
  plan.each = id.size();
  for (const auto* rows : {&near_rows, &far_rows}) {
    if (!rows->empty()) plan.each = std::min(plan.each, rows->size());
  }
  const std::pair<const char*, const std::vector<StreamRow>*> parts[] = {
      {"id", &id}, {"near", &near_rows}, {"far", &far_rows}};
  for (const auto& [name, rows] : parts) {
    if (rows->empty()) continue;
    ++plan.parts;
    const std::vector<size_t> order =
        base::Rng::ForPurpose(seed, absl::StrCat("mixed stream ", name)).Permutation(rows->size());
    for (size_t i = 0; i < plan.each; ++i) plan.rows.push_back((*rows)[order[i]]);
  }
  return plan;
}

absl::StatusOr<std::vector<uncertainty::ScoredRow>> StreamRows(
    const StreamPlan& plan, absl::Span<const uncertainty::ScoredRow> id,
    const std::map<std::string, std::vector<double>>& ood) {
  std::vector<uncertainty::ScoredRow> rows;
  for (const StreamRow& source : plan.rows) {
    const auto set = ood.find(source.set);
    const bool there = source.set.empty() ? source.row < id.size()
                                          : set != ood.end() && source.row < set->second.size();
    if (!there) {
      return absl::InvalidArgumentError(
          absl::StrCat("mixed stream: got no row ", source.row, " of \"", source.set, "\""));
    }
    rows.push_back(source.set.empty() ? id[source.row]
                                      : uncertainty::ScoredRow{set->second[source.row], false});
  }
  return rows;
}

}  // namespace hydra::builder
