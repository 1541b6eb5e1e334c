#include "model/builder/packing/bundle_report.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "model/base/file.h"
#include "model/base/status_macros.h"
#include "model/builder/evaluation/system_measures.h"
#include "model/builder/interpreting/interpretation.h"
#include "model/builder/packing/report_tables.h"
#include "model/builder/packing/stored_evaluation.h"
#include "model/report/report.h"
#include "model/report/score_histogram.h"
#include "model/uncertainty/certificate.h"
#include "model/uncertainty/conformal.h"

namespace hydra::builder {
namespace {

constexpr size_t kCurvePoints = 200;
constexpr size_t kHistogramBins = 40;
constexpr double kKeyRisk = 0.02;
constexpr size_t kMaxPictureBytes = size_t{4} << 20;

absl::StatusOr<report::ReliabilityPanel> Panel(const EvaluatedSystem& system, double temperature) {
  HYDRA_ASSIGN_OR_RETURN(const auto answers, Answers(system.id, temperature));
  report::ReliabilityPanel panel;
  HYDRA_ASSIGN_OR_RETURN(panel.bins,
                         metrics::EqualWidthBins(ConfidentRows(answers, system.id.labels)));
  panel.ece = metrics::ExpectedCalibrationError(panel.bins);
  return panel;
}

absl::Status AddRiskCoverage(const StoredEvaluation& evaluation, const std::string& default_score,
                             report::ReportData& data) {
  for (const EvaluatedSystem& system : evaluation.systems) {
    const uncertainty::Score score = OrderingScore(system, default_score);
    HYDRA_ASSIGN_OR_RETURN(const auto answers, Answers(system.id, system.temperature));
    HYDRA_ASSIGN_OR_RETURN(const auto rows,
                           uncertainty::ScoreRows(answers, system.id.labels, score));
    HYDRA_ASSIGN_OR_RETURN(const auto curve, metrics::RiskCoverageCurve(rows));
    data.risk_coverage.push_back(
        {absl::StrCat(system.name, " by ", std::string(uncertainty::ScoreName(score))),
         metrics::ThinCurve(curve, kCurvePoints)});
  }
  return absl::OkStatus();
}

absl::Status AddHistograms(const StoredEvaluation& evaluation, double temperature,
                           report::ReportData& data) {
  const EvaluatedSystem& system = evaluation.systems.front();
  HYDRA_ASSIGN_OR_RETURN(const auto id, Answers(system.id, temperature));
  for (const uncertainty::Score score : ScoresOf(system.id.members)) {
    std::vector<report::ScoreGroup> groups(1, {evaluation.data_name, {}});
    HYDRA_ASSIGN_OR_RETURN(groups[0].scores, ScoreValues(id, score));
    for (const auto& [set, predictions] : system.ood) {
      HYDRA_ASSIGN_OR_RETURN(const auto ood, Answers(predictions, temperature));
      groups.push_back({set, {}});
      HYDRA_ASSIGN_OR_RETURN(groups.back().scores, ScoreValues(ood, score));
    }
    HYDRA_ASSIGN_OR_RETURN(
        data.score_histograms.emplace_back(),
        report::BinScores(std::string(uncertainty::ScoreName(score)), groups, kHistogramBins));
  }
  return absl::OkStatus();
}

// The threshold of the default score that the certificates give for the key risk.
std::optional<double> KeyThreshold(const artifact::Calibration& calibration) {
  for (const artifact::CertificateTable& table : calibration.certificates) {
    if (table.score != calibration.default_score || table.dtype != "float32") continue;
    const auto search = uncertainty::FindCutForRisk(table, kKeyRisk, table.delta);
    if (search.ok() && search->cut.has_value()) return search->cut->threshold;
  }
  return std::nullopt;
}

// Coverage and size of the sets on rows of no calibration split.
absl::Status MeasureConformal(const EvaluatedSystem& system,
                              const artifact::Calibration& calibration,
                              report::ConformalSummary& summary) {
  HYDRA_ASSIGN_OR_RETURN(const auto method,
                         uncertainty::ParseConformalMethod(summary.quantile.method));
  HYDRA_ASSIGN_OR_RETURN(const auto score, uncertainty::ParseScore(calibration.default_score));
  HYDRA_ASSIGN_OR_RETURN(const auto answers, Answers(system.id, calibration.temperature));
  const std::optional<double> threshold = KeyThreshold(calibration);
  double covered = 0.0, sizes = 0.0, accepted = 0.0, covered_accepted = 0.0;
  for (size_t i = 0; i < answers.size(); ++i) {
    const std::vector<float>& probs = answers[i].mean_probs;
    const bool hit = uncertainty::ConformalScore(probs, system.id.labels[i], method) <=
                     summary.quantile.quantile;
    covered += hit ? 1.0 : 0.0;
    sizes += static_cast<double>(
        uncertainty::ConformalSet(probs, summary.quantile.quantile, method).size());
    const std::optional<double> value = uncertainty::ScoreOf(answers[i], score);
    if (!threshold.has_value() || !value.has_value() || *value > *threshold) continue;
    accepted += 1.0;
    covered_accepted += hit ? 1.0 : 0.0;
  }
  const double n = static_cast<double>(answers.size());
  summary.coverage = covered / n;
  summary.mean_set_size = sizes / n;
  if (accepted > 0.0) summary.coverage_accepted = covered_accepted / accepted;
  return absl::OkStatus();
}

absl::Status AddKeyFigures(const StoredEvaluation& evaluation, double temperature,
                           report::ReportData& data) {
  const EvaluatedSystem& system = evaluation.systems.front();
  HYDRA_ASSIGN_OR_RETURN(const Quality quality, MeasureQuality(system.id, temperature));
  const std::string note = absl::StrCat(system.id.rows, " rows of ", evaluation.data_name);
  data.key_figures.push_back(
      {"Accuracy", absl::StrFormat("%.2f %%", 100.0 * quality.probability.accuracy), note});
  data.key_figures.push_back(
      {"ECE", absl::StrFormat("%.2f %%", 100.0 * quality.ece),
       absl::StrFormat("after temperature; a calibrated model would show %.2f %%",
                       100.0 * quality.ece_noise_floor)});
  return absl::OkStatus();
}

void AddCertificateFigure(const artifact::Calibration& calibration, report::ReportData& data) {
  for (const artifact::CertificateTable& table : calibration.certificates) {
    if (table.score != calibration.default_score || table.dtype != "float32") continue;
    const auto search = uncertainty::FindCutForRisk(table, kKeyRisk, table.delta);
    if (!search.ok()) continue;
    data.key_figures.push_back(
        {"Certified coverage",
         search->cut.has_value() ? absl::StrFormat("%.1f %%", 100.0 * search->cut->coverage)
                                 : "none",
         absl::StrFormat("at risk %g %% by %s, confidence %g %%", 100.0 * kKeyRisk, table.score,
                         100.0 * (1.0 - table.delta))});
  }
}

absl::Status AddEvaluation(const StoredEvaluation& evaluation,
                           const artifact::Calibration& calibration, report::ReportData& data) {
  const std::string& score = calibration.default_score;
  const EvaluatedSystem& system = evaluation.systems.front();
  HYDRA_RETURN_IF_ERROR(AddKeyFigures(evaluation, calibration.temperature, data));
  HYDRA_ASSIGN_OR_RETURN(data.baselines, BaselineTable(evaluation, score));
  HYDRA_ASSIGN_OR_RETURN(data.detection, DetectionTable(evaluation, score));
  data.cost = CostTable(evaluation);
  HYDRA_RETURN_IF_ERROR(AddRiskCoverage(evaluation, score, data));
  data.reliability = report::Reliability{.temperature = calibration.temperature};
  HYDRA_ASSIGN_OR_RETURN(data.reliability->before, Panel(system, 1.0));
  HYDRA_ASSIGN_OR_RETURN(data.reliability->after, Panel(system, calibration.temperature));
  HYDRA_RETURN_IF_ERROR(AddHistograms(evaluation, calibration.temperature, data));
  for (report::ConformalSummary& summary : data.conformal) {
    if (summary.quantile.dtype != "float32") continue;
    HYDRA_RETURN_IF_ERROR(MeasureConformal(system, calibration, summary));
  }
  data.ledger = evaluation.ledger;
  if (!evaluation.final) {
    data.cautions.emplace_back(
        "Measured on the select split, which also chose the heads, and on proxies made from it; "
        "no test data was looked at.");
  }
  return absl::OkStatus();
}

absl::StatusOr<report::HeadGallery> ReadGallery(const std::string& directory) {
  HYDRA_ASSIGN_OR_RETURN(const Interpretation stored, ReadInterpretation(directory));
  const auto read = [&](const std::string& file) {
    return base::ReadFile(absl::StrCat(directory, "/", file), kMaxPictureBytes);
  };
  report::HeadGallery gallery{.heads = stored.gallery.heads};
  for (size_t i = 0; i < stored.gallery.inputs.size(); ++i) {
    report::GalleryRow& row = gallery.rows.emplace_back();
    row.name = stored.gallery.inputs[i];
    if (stored.gallery.pictures) {
      HYDRA_ASSIGN_OR_RETURN(row.picture, read(PictureFile(i)));
    }
    for (size_t j = 0; j < gallery.heads.size(); ++j) {
      HYDRA_ASSIGN_OR_RETURN(row.maps.emplace_back(), read(MapFile(i, j)));
    }
  }
  return gallery;
}

void AddFacts(const artifact::BundleDocuments& documents, report::ReportData& data) {
  const artifact::Provenance& provenance = documents.manifest.provenance;
  data.provenance = {{"Made by", "hydra-builder " + provenance.tool_version},
                     {"Made at", provenance.created},
                     {"Base checkpoint", provenance.base_digest},
                     {"Seed", absl::StrCat(provenance.seed)},
                     {"Default score", documents.calibration.default_score}};
  for (const auto& [name, value] : provenance.choices) data.provenance.push_back({name, value});
}

}  // namespace

absl::StatusOr<report::ReportData> FillReport(const artifact::BundleDocuments& documents,
                                              const ReportSources& sources) {
  const artifact::Calibration& calibration = documents.calibration;
  report::ReportData data{
      .model_name = documents.manifest.name,
      .summary = absl::StrFormat(
          "%d members from one %s base, %d layers, %d classes; temperature %.3f.",
          documents.manifest.members, documents.manifest.family, documents.manifest.geometry.layers,
          documents.manifest.geometry.classes, calibration.temperature),
      .head_map = documents.head_map,
      .splits = calibration.splits,
      .certificates = calibration.certificates};
  for (const artifact::ConformalQuantile& quantile : calibration.conformal)
    data.conformal.push_back({.quantile = quantile});
  data.cautions.emplace_back(
      "Certificates and conformal sets speak of data like the calibration splits; "
      "out-of-distribution traffic is outside them.");
  AddFacts(documents, data);
  if (!sources.interpretation.empty()) {
    HYDRA_ASSIGN_OR_RETURN(data.gallery, ReadGallery(sources.interpretation));
  }
  if (!sources.evaluation.empty()) {
    HYDRA_ASSIGN_OR_RETURN(const StoredEvaluation stored, ReadEvaluation(sources.evaluation));
    HYDRA_RETURN_IF_ERROR(AddEvaluation(stored, calibration, data));
  }
  AddCertificateFigure(calibration, data);
  return data;
}

absl::StatusOr<std::string> RenderBundleReport(const artifact::BundleDocuments& documents,
                                               const ReportSources& sources) {
  HYDRA_ASSIGN_OR_RETURN(const report::ReportData data, FillReport(documents, sources));
  return report::RenderReport(data);
}

}  // namespace hydra::builder
