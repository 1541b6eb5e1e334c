#include "model/report/plot_data.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "model/report/markup.h"
#include "model/uncertainty/certificate.h"
#include "nlohmann/json.hpp"

namespace hydra::report {
namespace {

using nlohmann::json;

json RiskCoveragePlot(const ReportData& data) {
  json points = json::array();
  for (const RiskCoverageSeries& series : data.risk_coverage) {
    for (const metrics::RiskCoveragePoint& point : series.points) {
      points.push_back({{"series", series.name},
                        {"threshold", point.threshold},
                        {"coverage", point.coverage},
                        {"risk", point.risk}});
    }
  }
  return points;
}

json PanelPlot(const std::string& title, const ReliabilityPanel& panel) {
  json bins = json::array();
  for (const metrics::ReliabilityBin& bin : panel.bins) {
    bins.push_back({{"low", bin.low},
                    {"high", bin.high},
                    {"count", bin.count},
                    {"confidence", bin.mean_confidence},
                    {"accuracy", bin.accuracy}});
  }
  const std::string floor = FormatNumber(metrics::CalibrationNoiseFloor(panel.bins), 3);
  return {
      {"title", absl::StrCat(title, ", ECE ", FormatNumber(panel.ece, 3), ", noise floor ", floor)},
      {"bins", bins}};
}

json ReliabilityPlot(const Reliability& reliability) {
  return json::array(
      {PanelPlot("Before: T = 1", reliability.before),
       PanelPlot(absl::StrCat("After: T = ", FormatNumber(reliability.temperature, 3)),
                 reliability.after)});
}

json HistogramPlot(const ScoreHistogram& histogram) {
  json values = json::array();
  for (const ScoreHistogram::Group& group : histogram.groups) {
    for (size_t i = 0; i < group.shares.size(); ++i) {
      values.push_back({{"group", group.name},
                        {"low", histogram.edges[i]},
                        {"high", histogram.edges[i + 1]},
                        {"share", group.shares[i]}});
    }
  }
  return {{"score", histogram.score}, {"values", values}};
}

// The table of a member: its own, or the one for all members.
const artifact::HeadImportance* ImportanceOf(const artifact::HeadMap& map, size_t member) {
  const artifact::HeadImportance* shared = nullptr;
  for (const artifact::HeadImportance& importance : map.importance) {
    if (importance.method != map.importance.front().method) continue;
    if (importance.member == member) return &importance;
    if (!importance.member.has_value()) shared = &importance;
  }
  return shared;
}

size_t KeptBy(const artifact::HeadMap& map, size_t layer, size_t head) {
  return static_cast<size_t>(
      std::count_if(map.kept[layer].begin(), map.kept[layer].end(), [&](const auto& heads) {
        return std::find(heads.begin(), heads.end(), head) != heads.end();
      }));
}

void AddLayer(const artifact::HeadMap& map, size_t member, size_t layer, json& cells) {
  const artifact::HeadImportance* importance = ImportanceOf(map, member);
  double largest = 0.0;
  for (size_t h = 0; importance != nullptr && h < map.heads; ++h) {
    largest = std::max(largest, importance->values[layer][h]);
  }
  const std::vector<size_t>& kept = map.kept[layer][member];
  for (size_t h = 0; h < map.heads; ++h) {
    const bool is_kept = std::find(kept.begin(), kept.end(), h) != kept.end();
    json cell = {{"member", absl::StrCat("Member ", member)},
                 {"layer", layer},
                 {"head", h},
                 {"kept", is_kept},
                 {"fate", is_kept ? "kept" : "removed"},
                 {"keptBy", absl::StrCat(KeptBy(map, layer, h), " of ", map.members)}};
    if (importance != nullptr) {
      const double value = importance->values[layer][h];
      cell["importance"] = value;
      cell["relative"] = largest > 0.0 ? std::max(0.0, value / largest) : 0.0;
    }
    cells.push_back(std::move(cell));
  }
}

json HeadsPlot(const artifact::HeadMap& map) {
  json cells = json::array();
  bool all_rated = !map.importance.empty();
  for (size_t m = 0; m < map.members; ++m) {
    all_rated = all_rated && ImportanceOf(map, m) != nullptr;
    for (size_t l = 0; l < map.layers; ++l) AddLayer(map, m, l, cells);
  }
  return {{"members", map.members},
          {"layers", map.layers},
          {"heads", map.heads},
          {"method", all_rated ? json(absl::StrCat("Importance by ", map.importance.front().method))
                               : json(nullptr)},
          {"cells", cells}};
}

absl::StatusOr<json> CertificatePlot(const artifact::CertificateTable& table) {
  HYDRA_ASSIGN_OR_RETURN(const std::vector<uncertainty::CutFacts> cuts,
                         uncertainty::DescribeCuts(table, table.delta));
  json values = json::array();
  for (const uncertainty::CutFacts& cut : cuts) {
    values.push_back({{"threshold", cut.threshold},
                      {"coverage", cut.coverage},
                      {"accepted", cut.accepted},
                      {"errors", cut.errors},
                      {"risk", cut.empirical_risk},
                      {"bound", cut.risk_bound}});
  }
  return json{{"delta", table.delta}, {"cuts", values}};
}

}  // namespace

absl::StatusOr<std::string> PlotData(const ReportData& data) {
  json plots = {{"riskCoverage", RiskCoveragePlot(data)}};
  if (data.reliability) plots["reliability"] = ReliabilityPlot(*data.reliability);
  plots["histograms"] = json::array();
  for (const ScoreHistogram& histogram : data.score_histograms) {
    plots["histograms"].push_back(HistogramPlot(histogram));
  }
  if (data.head_map) plots["heads"] = HeadsPlot(*data.head_map);
  plots["certificate"] = json::array();
  for (const artifact::CertificateTable& table : data.certificates) {
    HYDRA_ASSIGN_OR_RETURN(json plot, CertificatePlot(table));
    plots["certificate"].push_back(std::move(plot));
  }
  // Bytes that are not UTF-8 are replaced: the dump would throw.
  return plots.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace hydra::report
