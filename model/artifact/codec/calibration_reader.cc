#include <algorithm>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "model/artifact/codec/calibration_codec.h"
#include "model/artifact/codec/json_reader.h"
#include "model/artifact/codec/layer_checks.h"
#include "model/artifact/codec/vocabulary.h"
#include "model/base/status_macros.h"

namespace hydra::artifact::codec {
namespace {

constexpr size_t kMaxCuts = 100000;
constexpr size_t kMaxTables = 1000;
constexpr size_t kMaxBins = 10000;
constexpr char kJointPath[] = "joint_path";
// A share that is neither 0 nor 1.
constexpr RealRange kInsideUnit{1e-12, 1.0 - 1e-12};

// guarantees.md's disjoint uses of labelled data.  A bundle without head selection has no select.
constexpr absl::string_view kRequiredSplits[] = {"fit", "path", "certify", "conformal"};
constexpr absl::string_view kOptionalSplits[] = {"select", "train", "test"};

bool IsSplitName(absl::string_view name) {
  return std::count(std::begin(kRequiredSplits), std::end(kRequiredSplits), name) +
             std::count(std::begin(kOptionalSplits), std::end(kOptionalSplits), name) >
         0;
}

std::map<std::string, Split> ReadSplits(const JsonNode& node) {
  std::map<std::string, Split> splits;
  std::map<std::string, std::string> split_of;  // digest -> name
  for (const auto& [name, item] : node.Members({0, 16})) {
    if (!IsSplitName(name)) item.Fail("not the name of a split");
    JsonObject object(item);
    Split split;
    split.n = object["n"].Count({1, kMaxRows});
    const JsonNode digest = object["digest"];
    split.digest = digest.Digest();
    const auto [same, inserted] = split_of.emplace(split.digest, name);
    if (!inserted) digest.Fail(absl::StrCat("got the digest of ", same->second));
    splits.emplace(name, std::move(split));
  }
  for (const absl::string_view name : kRequiredSplits) {
    if (splits.count(std::string(name)) == 0) node.Fail(absl::StrCat("missing split ", name));
  }
  return splits;
}

void CheckCut(const JsonNode& node, const CertificateTable& table, const CertificateCut& cut) {
  if (cut.errors > cut.accepted) {
    node.Fail(absl::StrCat("got ", cut.errors, " errors among ", cut.accepted, " accepted rows"));
  }
  if (table.cuts.empty()) return;
  const CertificateCut& before = table.cuts.back();
  if (cut.threshold <= before.threshold) node.Fail("threshold: want ascending thresholds");
  if (cut.accepted < before.accepted) node.Fail("accepted: want no less than at the cut before");
  if (cut.errors < before.errors) node.Fail("errors: want no less than at the cut before");
  if (cut.errors - before.errors > cut.accepted - before.accepted) {
    node.Fail("errors: want no more new errors than newly accepted rows");
  }
}

void ReadCuts(const JsonNode& node, CertificateTable& table) {
  for (const JsonNode& item : node.Items({1, kMaxCuts})) {
    CertificateCut cut;
    {
      JsonObject object(item);
      cut.threshold = object["threshold"].Real(kFinite);
      cut.accepted = object["accepted"].Count({0, table.n});
      cut.errors = object["errors"].Count({0, table.n});
    }
    CheckCut(item, table, cut);
    table.cuts.push_back(cut);
  }
}

void ReadRules(const JsonNode& node, size_t members, CertificateTable& table) {
  const size_t cuts = table.cuts.size();
  for (const JsonNode& item : node.Items({1, 16})) {
    JsonObject object(item);
    PathRule rule;
    const JsonNode score = object["score"];
    rule.score = score.Text();
    CheckScore(score, rule.score, members);
    const JsonNode thresholds = object["thresholds"];
    rule.thresholds = thresholds.Reals({cuts, cuts}, kFinite);
    if (!std::is_sorted(rule.thresholds.begin(), rule.thresholds.end())) {
      thresholds.Fail("want ascending or equal thresholds");
    }
    table.rules.push_back(std::move(rule));
  }
}

// Rows that a table may count: all of the certify split, or those of its classes.
void CheckRows(const JsonNode& node, const CertificateTable& table,
               const Calibration& calibration) {
  const auto certify = calibration.splits.find("certify");
  if (certify == calibration.splits.end()) return;
  const size_t rows = certify->second.n;
  const bool good = table.classes.empty() ? table.n == rows : table.n <= rows;
  if (!good) node.Fail(absl::StrCat("got ", table.n, ", want ", rows, " of the certify split"));
}

CertificateTable ReadTable(const JsonNode& node, const Manifest& manifest,
                           const Calibration& calibration) {
  JsonObject object(node);
  CertificateTable table;
  const JsonNode dtype = object["dtype"];
  table.dtype = dtype.Text();
  CheckNumerics(dtype, table.dtype);
  const JsonNode score = object["score"];
  table.score = score.Text();
  const bool joint = table.score == kJointPath;
  if (!joint) CheckScore(score, table.score, manifest.members);
  table.score_made = object["score_made"].Text();
  if (object.Has("classes")) {
    const size_t classes = manifest.geometry.classes;
    const JsonNode list = object["classes"];
    table.classes = list.Counts({1, classes}, {0, classes - 1});
    CheckAscending(list, table.classes);
  }
  const JsonNode n = object["n"];
  table.n = n.Count({1, kMaxRows});
  CheckRows(n, table, calibration);
  table.delta = object["delta"].Real(kInsideUnit);
  table.population = object["population"].Text();
  ReadCuts(object["cuts"], table);
  if (joint) ReadRules(object["rules"], manifest.members, table);
  return table;
}

std::vector<CertificateTable> ReadTables(const JsonNode& node, const Manifest& manifest,
                                         const Calibration& calibration) {
  std::vector<CertificateTable> tables;
  std::set<std::tuple<std::string, std::string, std::vector<size_t>>> seen;
  for (const JsonNode& item : node.Items({0, kMaxTables})) {
    tables.push_back(ReadTable(item, manifest, calibration));
    const CertificateTable& table = tables.back();
    if (!seen.emplace(table.dtype, table.score, table.classes).second) {
      item.Fail(absl::StrCat("got a second table of ", table.score, " in ", table.dtype));
    }
  }
  return tables;
}

std::vector<ConformalQuantile> ReadConformal(const JsonNode& node, const Calibration& calibration) {
  std::vector<ConformalQuantile> quantiles;
  std::set<std::tuple<std::string, double, std::string>> seen;
  const auto split = calibration.splits.find("conformal");
  for (const JsonNode& item : node.Items({0, kMaxTables})) {
    JsonObject object(item);
    ConformalQuantile quantile;
    quantile.method = object["method"].Choice({"lac", "aps"});
    quantile.alpha = object["alpha"].Real(kInsideUnit);
    quantile.quantile = object["quantile"].Real({0.0, 2.0});
    const size_t rows = split == calibration.splits.end() ? kMaxRows : split->second.n;
    quantile.n = object["n"].Count({rows, rows});
    const JsonNode dtype = object["dtype"];
    quantile.dtype = dtype.Text();
    CheckNumerics(dtype, quantile.dtype);
    if (!seen.emplace(quantile.method, quantile.alpha, quantile.dtype).second) {
      item.Fail("got a second quantile of this method, alpha and dtype");
    }
    quantiles.push_back(std::move(quantile));
  }
  return quantiles;
}

ReferenceHistogram ReadHistogram(const JsonNode& node) {
  JsonObject object(node);
  ReferenceHistogram histogram;
  const JsonNode edges = object["edges"];
  histogram.edges = edges.Reals({0, kMaxBins}, kFinite);
  if (!std::is_sorted(histogram.edges.begin(), histogram.edges.end())) {
    edges.Fail("want ascending edges");
  }
  const size_t bins = histogram.edges.size() + 1;
  histogram.counts = object["counts"].Counts({bins, bins}, {0, kMaxRows});
  return histogram;
}

void ReadMaps(JsonObject& root, const Manifest& manifest, Calibration& calibration) {
  for (const auto& [score, item] : root["reference_histograms"].Members({0, 16})) {
    CheckScore(item, score, manifest.members);
    calibration.reference_histograms.emplace(score, ReadHistogram(item));
  }
  for (const auto& [dtype, item] : root["batch_tolerance"].Members({0, kNumerics.size()})) {
    CheckNumerics(item, dtype);
    calibration.batch_tolerance.emplace(dtype, item.Real({0.0, 1e6}));
  }
}

}  // namespace

absl::StatusOr<Calibration> ParseCalibration(absl::string_view text, const Manifest& manifest) {
  HYDRA_ASSIGN_OR_RETURN(JsonDocument document, JsonDocument::Parse(text, kCalibrationFile));
  Calibration calibration;
  {
    JsonObject root(document.root());
    calibration.temperature = root["temperature"].Real({1e-3, 1e3});
    const JsonNode score = root["default_score"];
    calibration.default_score = score.Text();
    CheckScore(score, calibration.default_score, manifest.members);
    calibration.splits = ReadSplits(root["splits"]);
    calibration.certificates = ReadTables(root["certificates"], manifest, calibration);
    calibration.conformal = ReadConformal(root["conformal"], calibration);
    ReadMaps(root, manifest, calibration);
  }
  HYDRA_RETURN_IF_ERROR(document.Finish());
  return calibration;
}

}  // namespace hydra::artifact::codec
