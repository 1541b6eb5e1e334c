#include "model/builder/quality/measures.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "model/metrics/smooth_calibration_error.h"

namespace hydra::builder {
namespace {

using uncertainty::Answer;

std::vector<float> MeanProbabilities(absl::Span<const Answer> answers) {
  std::vector<float> probs;
  for (const Answer& answer : answers)
    probs.insert(probs.end(), answer.mean_probs.begin(), answer.mean_probs.end());
  return probs;
}

size_t Argmax(absl::Span<const float> values) {
  return static_cast<size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

double MemberAccuracy(const Predictions& predictions, size_t member) {
  size_t correct = 0;
  for (size_t i = 0; i < predictions.rows; ++i) {
    const size_t offset = (member * predictions.rows + i) * predictions.classes;
    correct +=
        Argmax(absl::MakeConstSpan(predictions.logits).subspan(offset, predictions.classes)) ==
                predictions.labels[i]
            ? 1
            : 0;
  }
  return static_cast<double>(correct) / static_cast<double>(predictions.rows);
}

absl::Status AddCalibration(const std::vector<metrics::ConfidentRow>& rows, Quality& quality) {
  HYDRA_ASSIGN_OR_RETURN(const std::vector<metrics::ReliabilityBin> bins,
                         metrics::EqualWidthBins(rows));
  quality.ece = metrics::ExpectedCalibrationError(bins);
  quality.mce = metrics::MaximumCalibrationError(bins);
  quality.ece_noise_floor = metrics::CalibrationNoiseFloor(bins);
  HYDRA_ASSIGN_OR_RETURN(const std::vector<metrics::ReliabilityBin> even,
                         metrics::EqualCountBins(rows));
  quality.aece = metrics::ExpectedCalibrationError(even);
  HYDRA_ASSIGN_OR_RETURN(const metrics::SmoothCalibration smooth,
                         metrics::SmoothCalibrationError(rows));
  quality.smooth_ece = smooth.error;
  return absl::OkStatus();
}

absl::Status AddScore(const std::vector<uncertainty::ScoredRow>& rows, const std::string& score,
                      Quality& quality) {
  HYDRA_ASSIGN_OR_RETURN(quality.selective[score], metrics::MeasureSelective(rows));
  HYDRA_ASSIGN_OR_RETURN(const std::vector<metrics::RiskCoveragePoint> curve,
                         metrics::RiskCoverageCurve(rows));
  OperatingPoints& points = quality.operating[score];
  if (const auto point = metrics::CoverageAtRisk(curve, 0.05)) {
    points.coverage_at_5_risk = point->coverage;
  }
  if (const auto point = metrics::RiskAtCoverage(curve, 0.8)) {
    points.risk_at_80_coverage = point->risk;
  }
  std::vector<double> correct, wrong;
  for (const uncertainty::ScoredRow& row : rows)
    (row.correct ? correct : wrong).push_back(row.score);
  if (correct.empty() || wrong.empty()) return absl::OkStatus();
  HYDRA_ASSIGN_OR_RETURN(quality.failure[score], metrics::MeasureDetection(correct, wrong));
  return absl::OkStatus();
}

}  // namespace

std::vector<uncertainty::Score> ScoresOf(size_t members) {
  std::vector<uncertainty::Score> scores;
  for (const uncertainty::Score score : uncertainty::kAllScores) {
    if (members > 1 || !uncertainty::ComparesMembers(score)) scores.push_back(score);
  }
  return scores;
}

std::vector<metrics::ConfidentRow> ConfidentRows(absl::Span<const Answer> answers,
                                                 absl::Span<const size_t> labels) {
  std::vector<metrics::ConfidentRow> rows;
  for (size_t i = 0; i < answers.size(); ++i) {
    const size_t predicted = Argmax(answers[i].mean_probs);
    rows.push_back({std::min(1.0, static_cast<double>(answers[i].mean_probs[predicted])),
                    predicted == labels[i]});
  }
  return rows;
}

absl::StatusOr<std::vector<double>> ScoreValues(absl::Span<const Answer> answers,
                                                uncertainty::Score score) {
  std::vector<double> values;
  for (const Answer& answer : answers) {
    const std::optional<double> value = uncertainty::ScoreOf(answer, score);
    if (!value.has_value()) {
      return absl::FailedPreconditionError(absl::StrCat(
          "score ", std::string(uncertainty::ScoreName(score)), ": needs more than one member"));
    }
    values.push_back(*value);
  }
  return values;
}

absl::StatusOr<Quality> MeasureQuality(const Predictions& predictions, double temperature) {
  if (predictions.labels.size() != predictions.rows) {
    return absl::FailedPreconditionError("quality: got data without labels");
  }
  HYDRA_ASSIGN_OR_RETURN(const std::vector<Answer> answers, Answers(predictions, temperature));
  Quality quality;
  HYDRA_ASSIGN_OR_RETURN(quality.probability,
                         metrics::MeasureProbabilities(MeanProbabilities(answers),
                                                       predictions.classes, predictions.labels));
  HYDRA_RETURN_IF_ERROR(AddCalibration(ConfidentRows(answers, predictions.labels), quality));
  for (size_t m = 0; m < predictions.members; ++m)
    quality.member_accuracy.push_back(MemberAccuracy(predictions, m));
  if (predictions.members > 1) {
    HYDRA_ASSIGN_OR_RETURN(quality.members, metrics::CompareMembers(answers));
  }
  for (const uncertainty::Score score : ScoresOf(predictions.members)) {
    HYDRA_ASSIGN_OR_RETURN(const std::vector<uncertainty::ScoredRow> rows,
                           uncertainty::ScoreRows(answers, predictions.labels, score));
    HYDRA_RETURN_IF_ERROR(AddScore(rows, std::string(uncertainty::ScoreName(score)), quality));
  }
  return quality;
}

}  // namespace hydra::builder
