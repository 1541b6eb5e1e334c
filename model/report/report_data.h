// What a report shows.  The builder fills it; nothing here is computed by the page.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/artifact/calibration.h"
#include "model/artifact/head_map.h"
#include "model/metrics/calibration_error.h"
#include "model/metrics/selective.h"
#include "model/report/heads/head_gallery.h"

namespace hydra::report {

// All texts may hold any bytes; the page escapes them.

struct Fact {
  std::string name;
  std::string value;
};

// A number at the top of the page, already formatted: {"Accuracy", "90.4 %", "10 000 test rows"}.
struct KeyFigure {
  std::string name;
  std::string value;
  std::string note;
};

enum class Better { kHigher, kLower, kNeither };

struct TableColumn {
  std::string name;
  Better better = Better::kNeither;  // the best value of the column is marked
  int decimals = 3;
  std::string unit;  // shown beside the name; may be empty
};

struct Measurement {
  double mean = 0.0;
  std::optional<double> deviation;  // over seeds
};

struct TableRow {
  std::string name;
  std::vector<std::optional<Measurement>> values;  // one per column; unset where not measured
  bool highlighted = false;                        // the subject of the report
};

// Rows x metrics: baselines, detection by score, cost.
struct ComparisonTable {
  std::string note;  // how it was measured
  std::vector<TableColumn> columns;
  std::vector<TableRow> rows;
};

struct RiskCoverageSeries {
  std::string name;
  std::vector<metrics::RiskCoveragePoint> points;  // thin them first: metrics::ThinCurve
};

struct ReliabilityPanel {
  std::vector<metrics::ReliabilityBin> bins;
  double ece = 0.0;
};

struct Reliability {
  double temperature = 1.0;
  ReliabilityPanel before;  // at T = 1
  ReliabilityPanel after;
};

// Shares of rows in common bins; edges.size() = bins + 1, each group's shares.size() = bins.
struct ScoreHistogram {
  struct Group {
    std::string name;  // "test", "digits (far OOD)"
    std::vector<double> shares;
  };
  std::string score;
  std::vector<double> edges;
  std::vector<Group> groups;  // the in-distribution group first
};

struct ConformalSummary {
  artifact::ConformalQuantile quantile;
  std::optional<double> coverage;           // measured on rows of no calibration split
  std::optional<double> coverage_accepted;  // on those among them that are not abstained
  std::optional<double> mean_set_size;
};

struct LedgerEntry {
  std::string when;
  std::string what;
  std::string bundle_digest;
};

struct ReportData {
  std::string model_name;
  std::string summary;                // a sentence or two under the title
  std::vector<std::string> cautions;  // what a reader must know, such as "OOD data is a proxy"
  std::vector<KeyFigure> key_figures;
  std::vector<Fact> provenance;
  ComparisonTable baselines;
  ComparisonTable detection;
  ComparisonTable cost;
  std::optional<artifact::HeadMap> head_map;
  HeadGallery gallery;
  std::vector<RiskCoverageSeries> risk_coverage;
  std::optional<Reliability> reliability;
  std::vector<ScoreHistogram> score_histograms;
  std::map<std::string, artifact::Split> splits;
  std::vector<artifact::CertificateTable> certificates;
  std::vector<ConformalSummary> conformal;
  std::vector<LedgerEntry> ledger;  // final evaluations on the test set, oldest first
};

}  // namespace hydra::report
