#include "model/report/check_report_data.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "model/report/heads/head_views.h"

namespace hydra::report {
namespace {

absl::Status CheckSize(size_t got, size_t want, absl::string_view part) {
  if (got == want) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(part, ": got ", got, ", want ", want));
}

absl::Status CheckTable(const ComparisonTable& table, absl::string_view name) {
  for (size_t r = 0; r < table.rows.size(); ++r) {
    HYDRA_RETURN_IF_ERROR(CheckSize(table.rows[r].values.size(), table.columns.size(),
                                    absl::StrCat(name, ".rows[", r, "].values")));
  }
  return absl::OkStatus();
}

absl::Status CheckKept(const artifact::HeadMap& map) {
  HYDRA_RETURN_IF_ERROR(CheckSize(map.kept.size(), map.layers, "head_map.kept"));
  for (size_t l = 0; l < map.layers; ++l) {
    HYDRA_RETURN_IF_ERROR(
        CheckSize(map.kept[l].size(), map.members, absl::StrCat("head_map.kept[", l, "]")));
    for (const std::vector<size_t>& heads : map.kept[l]) {
      for (const size_t head : heads) {
        if (head < map.heads) continue;
        return absl::InvalidArgumentError(
            absl::StrCat("head_map.kept[", l, "]: got head ", head, ", want below ", map.heads));
      }
    }
  }
  return absl::OkStatus();
}

absl::Status CheckImportance(const artifact::HeadMap& map) {
  for (size_t i = 0; i < map.importance.size(); ++i) {
    const std::string part = absl::StrCat("head_map.importance[", i, "].values");
    const auto& values = map.importance[i].values;
    HYDRA_RETURN_IF_ERROR(CheckSize(values.size(), map.layers, part));
    for (const std::vector<double>& layer : values) {
      HYDRA_RETURN_IF_ERROR(CheckSize(layer.size(), map.heads, part));
    }
  }
  for (const std::vector<double>& row : map.overlap) {
    HYDRA_RETURN_IF_ERROR(CheckSize(row.size(), map.overlap.size(), "head_map.overlap"));
  }
  return absl::OkStatus();
}

absl::Status CheckHistogram(const ScoreHistogram& histogram) {
  for (const ScoreHistogram::Group& group : histogram.groups) {
    HYDRA_RETURN_IF_ERROR(
        CheckSize(histogram.edges.size(), group.shares.size() + 1,
                  absl::StrCat("score_histograms ", histogram.score, ": edges for ", group.name)));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckReportData(const ReportData& data) {
  HYDRA_RETURN_IF_ERROR(CheckTable(data.baselines, "baselines"));
  HYDRA_RETURN_IF_ERROR(CheckTable(data.detection, "detection"));
  HYDRA_RETURN_IF_ERROR(CheckTable(data.cost, "cost"));
  for (const ScoreHistogram& histogram : data.score_histograms) {
    HYDRA_RETURN_IF_ERROR(CheckHistogram(histogram));
  }
  HYDRA_RETURN_IF_ERROR(CheckGallery(data.gallery));
  if (!data.head_map.has_value()) return absl::OkStatus();
  HYDRA_RETURN_IF_ERROR(CheckKept(*data.head_map));
  HYDRA_RETURN_IF_ERROR(CheckHeadViews(*data.head_map));
  return CheckImportance(*data.head_map);
}

}  // namespace hydra::report
