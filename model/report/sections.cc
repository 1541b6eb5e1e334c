#include "model/report/sections.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "model/report/certificate_promises.h"
#include "model/report/heads/head_views.h"
#include "model/report/markup.h"
#include "model/report/tables.h"

namespace hydra::report {
namespace {

// A place that assets/report.js fills; `index` picks from a list of plots, empty for a single one.
std::string Plot(absl::string_view name, absl::string_view index, absl::string_view caption) {
  return absl::StrCat("<figure data-plot=\"", name, "\"",
                      index.empty() ? "" : absl::StrCat(" data-index=\"", index, "\""),
                      "><div class=\"canvas\"></div><figcaption>", caption,
                      "</figcaption></figure>\n");
}

std::string Note(absl::string_view text) {
  return text.empty() ? "" : absl::StrCat("<p class=\"note\">", EscapeHtml(text), "</p>\n");
}

std::string Table(const ComparisonTable& table) {
  return table.rows.empty() ? "" : Note(table.note) + ComparisonHtml(table);
}

std::string SelectiveHtml(const ReportData& data) {
  if (data.risk_coverage.empty()) return "";
  return Plot(
      "riskCoverage", "",
      "Rows are answered from the surest to the least sure. The further right, the more are "
      "answered; the lower, the fewer of the answers are wrong. A good score stays low until "
      "far right. Click a name to single out its curve.");
}

std::string ReliabilityHtml(const ReportData& data) {
  if (!data.reliability.has_value()) return "";
  return Plot(
      "reliability", "",
      "Among rows answered with a confidence (orange mark), the share that is right (bar). "
      "Where the bar ends under its mark the model is too sure, over it too modest. Below: "
      "rows per bin. The noise floor is the ECE that a calibrated model shows on as many rows.");
}

std::string HistogramsHtml(const ReportData& data) {
  std::string html = Table(data.detection);
  if (!data.score_histograms.empty()) {
    html +=
        Plot("histograms", "",
             "Distribution of each score; higher is less sure. The less the groups overlap, the "
             "better the score tells unfamiliar inputs apart. The outer bins hold the tails.");
  }
  return html;
}

absl::StatusOr<std::string> CertificatesHtml(const ReportData& data) {
  std::string html;
  for (size_t i = 0; i < data.certificates.size(); ++i) {
    HYDRA_ASSIGN_OR_RETURN(const std::string promises, CertificateHtml(data.certificates[i]));
    html += promises + Plot("certificate", absl::StrCat(i),
                            "The bound holds for all cuts at once, so any number of targets may be "
                            "tried. A threshold between two cuts has no bound. Inputs of another "
                            "kind than the certified population are outside it.");
  }
  if (!data.conformal.empty()) {
    html +=
        "<h3>Conformal sets</h3>\n<p class=\"note\">Coverage is marginal: over all inputs of the "
        "certified kind, not for each class or for the answered rows alone.</p>\n";
    html += ConformalHtml(data.conformal);
  }
  return html;
}

std::string HeadsHtml(const ReportData& data) {
  if (!data.head_map.has_value()) return "";
  const artifact::HeadMap& map = *data.head_map;
  std::string html = absl::StrCat("<p>Chosen by ", EscapeHtml(map.provenance.selection), ", seed ",
                                  map.provenance.seed, ".</p>\n");
  html +=
      Plot("heads", "",
           "Filled: the member keeps the head; cross: removed. Darker (brighter on a dark page) "
           "is more important, relative to the most important head of the layer.");
  if (!map.overlap.empty()) {
    html +=
        "<h3>Overlap of kept heads</h3>\n<p class=\"note\">Jaccard index: heads that both keep "
        "over heads that either keeps. Members that keep the same heads differ only by their "
        "weights.</p>\n";
    html += OverlapHtml(map.overlap);
  }
  return absl::StrCat(html, ClustersHtml(map), EffectsHtml(map), GalleryHtml(data.gallery));
}

std::string DataHtml(const ReportData& data) {
  if (data.splits.empty()) return "";
  return absl::StrCat("<p class=\"note\">No two splits may share a row: packing refuses it.</p>\n",
                      SplitsHtml(data.splits));
}

std::string LedgerSection(const ReportData& data) {
  return absl::StrCat(
      "<p class=\"note\">Every look at the test set is entered here, since each one spends "
      "it.</p>\n",
      LedgerHtml(data.ledger));
}

}  // namespace

absl::StatusOr<std::vector<Section>> RenderSections(const ReportData& data) {
  HYDRA_ASSIGN_OR_RETURN(const std::string certificates, CertificatesHtml(data));
  const std::vector<Section> all = {
      {"quality", "Against the baselines", Table(data.baselines)},
      {"selective", "What abstaining buys", SelectiveHtml(data)},
      {"calibration", "Does confidence mean what it says?", ReliabilityHtml(data)},
      {"unfamiliar", "Telling unfamiliar inputs apart", HistogramsHtml(data)},
      {"certificates", "What is certified", certificates},
      {"heads", "Which heads each member kept", HeadsHtml(data)},
      {"cost", "What it costs", Table(data.cost)},
      {"data", "Data", DataHtml(data)},
      {"ledger", "Final evaluations", LedgerSection(data)},
      {"provenance", "Provenance", data.provenance.empty() ? "" : FactsHtml(data.provenance)},
  };
  std::vector<Section> present;
  for (const Section& section : all) {
    if (!section.html.empty()) present.push_back(section);
  }
  return present;
}

}  // namespace hydra::report
