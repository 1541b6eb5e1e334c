#include "model/builder/packing/inspect_step.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "model/artifact/codec/json_reader.h"
#include "model/uncertainty/certificate.h"
#include "nlohmann/json.hpp"

namespace hydra::builder {
namespace {

using Json = nlohmann::ordered_json;

// Risks that a reader of a bundle asks for first.
constexpr double kRisks[] = {0.01, 0.02, 0.05, 0.1};

void AddGeometry(const artifact::Manifest& manifest, std::string& text) {
  const artifact::Geometry& geometry = manifest.geometry;
  absl::StrAppendFormat(&text, "%-12s %s, %d members, branch at layer %d of %d\n", manifest.name,
                        manifest.family, manifest.members, manifest.branch_layer, geometry.layers);
  const std::string inputs =
      geometry.patch_size > 0
          ? absl::StrFormat("%dx%dx%d images, patch %d", geometry.channels, geometry.image_height,
                            geometry.image_width, geometry.patch_size)
          : absl::StrFormat("texts of up to %d tokens, vocabulary %d", geometry.max_positions,
                            geometry.vocabulary);
  absl::StrAppendFormat(&text, "%-12s %s, width %d, %d heads of %d, MLP %d, %d classes\n",
                        "geometry", inputs, geometry.width, geometry.heads, geometry.head_width,
                        geometry.mlp_width, geometry.classes);
  absl::StrAppendFormat(&text, "%-12s classifier %s, weights %s\n", "parts",
                        manifest.shared_classifier ? "shared" : "per member", manifest.dtype);
}

void AddHeads(const artifact::Manifest& manifest, std::string& text) {
  for (size_t l = 0; l < manifest.layers.size(); ++l) {
    const artifact::LayerPlan& plan = manifest.layers[l];
    absl::StrAppendFormat(&text, "%-12s", absl::StrCat("layer ", l));
    for (size_t s = 0; s < plan.streams.size(); ++s) {
      absl::StrAppend(&text, " [member ", absl::StrJoin(plan.streams[s], ","), ": ",
                      plan.heads[s].empty() ? "no head" : absl::StrJoin(plan.heads[s], " "), "]");
    }
    absl::StrAppend(&text, plan.shared_mlp ? "  MLP shared" : "  MLP per stream",
                    plan.shared_norms ? ", norms shared\n" : ", norms per stream\n");
  }
}

std::string CutText(const artifact::CertificateTable& table, double risk) {
  const auto search = uncertainty::FindCutForRisk(table, risk, table.delta);
  if (!search.ok()) return std::string(search.status().message());
  if (!search->cut.has_value()) return absl::StrFormat("risk %g %%: infeasible", 100.0 * risk);
  return absl::StrFormat("risk %g %%: %.1f %%", 100.0 * risk, 100.0 * search->cut->coverage);
}

void AddCalibration(const artifact::Calibration& calibration, std::string& text) {
  absl::StrAppendFormat(&text, "%-12s %.4f, default score %s\n", "temperature",
                        calibration.temperature, calibration.default_score);
  for (const auto& [name, split] : calibration.splits)
    absl::StrAppendFormat(&text, "%-12s %-10s n %6d  %s\n", "split", name, split.n,
                          split.digest.substr(0, 16));
  for (const artifact::CertificateTable& table : calibration.certificates) {
    std::vector<std::string> cuts;
    for (const double risk : kRisks) cuts.push_back(CutText(table, risk));
    absl::StrAppendFormat(&text, "%-12s %s %-22s n %d, delta %g, coverage at %s\n", "certificate",
                          table.dtype, table.score, table.n, table.delta,
                          absl::StrJoin(cuts, ", "));
  }
  for (const artifact::ConformalQuantile& quantile : calibration.conformal)
    absl::StrAppendFormat(&text, "%-12s %s %s alpha %g: %.4f, n %d\n", "conformal", quantile.dtype,
                          quantile.method, quantile.alpha, quantile.quantile, quantile.n);
  for (const auto& [dtype, tolerance] : calibration.batch_tolerance)
    absl::StrAppendFormat(&text, "%-12s %s scores move by at most %.3g with the batch\n",
                          "tolerance", dtype, tolerance);
}

Json GeometryJson(const artifact::Geometry& geometry) {
  return {{"layers", geometry.layers},
          {"width", geometry.width},
          {"heads", geometry.heads},
          {"head_width", geometry.head_width},
          {"mlp_width", geometry.mlp_width},
          {"classes", geometry.classes},
          {"image_height", geometry.image_height},
          {"image_width", geometry.image_width},
          {"channels", geometry.channels},
          {"patch_size", geometry.patch_size},
          {"vocabulary", geometry.vocabulary},
          {"max_positions", geometry.max_positions}};
}

Json CertificatesJson(const artifact::Calibration& calibration) {
  Json certificates = Json::array();
  for (const artifact::CertificateTable& table : calibration.certificates) {
    Json coverage = Json::object();
    for (const double risk : kRisks) {
      const auto search = uncertainty::FindCutForRisk(table, risk, table.delta);
      const bool found = search.ok() && search->cut.has_value();
      coverage[absl::StrFormat("%g", risk)] = found ? Json(search->cut->coverage) : Json(nullptr);
    }
    certificates.push_back({{"dtype", table.dtype},
                            {"score", table.score},
                            {"score_made", table.score_made},
                            {"n", table.n},
                            {"delta", table.delta},
                            {"population", table.population},
                            {"cuts", table.cuts.size()},
                            {"coverage_at_risk", coverage}});
  }
  return certificates;
}

Json LayersJson(const artifact::Manifest& manifest) {
  Json layers = Json::array();
  for (const artifact::LayerPlan& plan : manifest.layers) {
    layers.push_back({{"streams", plan.streams},
                      {"heads", plan.heads},
                      {"shared_mlp", plan.shared_mlp},
                      {"shared_norms", plan.shared_norms}});
  }
  return layers;
}

}  // namespace

std::string DescribeBundle(const artifact::Bundle& bundle) {
  const artifact::Manifest& manifest = bundle.manifest();
  std::string text;
  AddGeometry(manifest, text);
  AddHeads(manifest, text);
  absl::StrAppendFormat(&text, "%-12s %s\n", "classes", absl::StrJoin(bundle.labels(), ", "));
  AddCalibration(bundle.calibration(), text);
  const artifact::GoldenAnswers& golden = bundle.golden();
  for (const auto& [dtype, tolerance] : golden.tolerance)
    absl::StrAppendFormat(&text, "%-12s %d rows, %s tolerance %.3g\n", "golden", golden.batch,
                          dtype, tolerance);
  for (const auto& [name, value] : manifest.provenance.choices)
    absl::StrAppendFormat(&text, "%-12s %s: %s\n", "choice", name, value);
  absl::StrAppendFormat(&text, "%-12s builder %s, %s, seed %d, base %s\n", "made by",
                        manifest.provenance.tool_version, manifest.provenance.created,
                        manifest.provenance.seed, manifest.provenance.base_digest.substr(0, 16));
  absl::StrAppendFormat(&text, "%-12s %s\n%-12s %s\n", "digest", bundle.digest(), "weights",
                        bundle.weights_digest());
  return text;
}

absl::StatusOr<std::string> DescribeBundleJson(const artifact::Bundle& bundle) {
  const artifact::Manifest& manifest = bundle.manifest();
  const artifact::Calibration& calibration = bundle.calibration();
  Json json = {{"name", manifest.name},
               {"family", manifest.family},
               {"digest", bundle.digest()},
               {"weights_digest", bundle.weights_digest()},
               {"members", manifest.members},
               {"branch_layer", manifest.branch_layer},
               {"geometry", GeometryJson(manifest.geometry)},
               {"layers", LayersJson(manifest)},
               {"labels", bundle.labels()},
               {"temperature", calibration.temperature},
               {"default_score", calibration.default_score}};
  for (const auto& [name, split] : calibration.splits)
    json["splits"][name] = {{"n", split.n}, {"digest", split.digest}};
  json["certificates"] = CertificatesJson(calibration);
  json["golden"] = {{"rows", bundle.golden().batch}, {"tolerance", bundle.golden().tolerance}};
  json["provenance"] = {{"base_digest", manifest.provenance.base_digest},
                        {"seed", manifest.provenance.seed},
                        {"tool_version", manifest.provenance.tool_version},
                        {"created", manifest.provenance.created},
                        {"choices", manifest.provenance.choices}};
  return artifact::codec::DumpJson(json, "inspect");
}

}  // namespace hydra::builder
