#include "model/builder/quality/measures.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"

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
  HYDRA_ASSIGN_OR_RETURN(const std::vector<metrics::ReliabilityBin> bins,
                         metrics::EqualWidthBins(ConfidentRows(answers, predictions.labels)));
  quality.ece = metrics::ExpectedCalibrationError(bins);
  quality.ece_noise_floor = metrics::CalibrationNoiseFloor(bins);
  for (size_t m = 0; m < predictions.members; ++m)
    quality.member_accuracy.push_back(MemberAccuracy(predictions, m));
  if (predictions.members > 1) {
    HYDRA_ASSIGN_OR_RETURN(quality.members, metrics::CompareMembers(answers));
  }
  for (const uncertainty::Score score : ScoresOf(predictions.members)) {
    HYDRA_ASSIGN_OR_RETURN(const std::vector<uncertainty::ScoredRow> rows,
                           uncertainty::ScoreRows(answers, predictions.labels, score));
    HYDRA_ASSIGN_OR_RETURN(quality.selective[std::string(uncertainty::ScoreName(score))],
                           metrics::MeasureSelective(rows));
  }
  return quality;
}

}  // namespace hydra::builder
