#include "model/uncertainty/answer.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "model/uncertainty/softmax.h"

namespace hydra::uncertainty {
namespace {

double Energy(absl::Span<const float> member_logits, EnsembleShape shape, size_t row,
              double temperature) {
  double sum = 0.0;
  for (size_t m = 0; m < shape.members(); ++m) {
    sum += LogSumExp(member_logits.subspan(shape.RowOffset(m, row), shape.classes()), temperature);
  }
  return -sum / static_cast<double>(shape.members());
}

std::vector<float> MemberRows(absl::Span<const float> probs, EnsembleShape shape, size_t row) {
  std::vector<float> rows;
  rows.reserve(shape.members() * shape.classes());
  for (size_t m = 0; m < shape.members(); ++m) {
    const auto member_row = probs.subspan(shape.RowOffset(m, row), shape.classes());
    rows.insert(rows.end(), member_row.begin(), member_row.end());
  }
  return rows;
}

}  // namespace

absl::StatusOr<std::vector<Answer>> AnswerRows(absl::Span<const float> member_logits,
                                               EnsembleShape shape, double temperature) {
  HYDRA_ASSIGN_OR_RETURN(const std::vector<float> probs,
                         Softmax(member_logits, shape, temperature));
  HYDRA_ASSIGN_OR_RETURN(const std::vector<UncertaintySplit> splits,
                         SplitUncertainty(probs, shape));
  HYDRA_ASSIGN_OR_RETURN(const std::vector<float> mean, MeanOverMembers(probs, shape));
  std::vector<Answer> answers;
  answers.reserve(shape.batch());
  for (size_t b = 0; b < shape.batch(); ++b) {
    const auto mean_row = mean.begin() + static_cast<ptrdiff_t>(b * shape.classes());
    answers.push_back({.split = splits[b],
                       .mean_probs = {mean_row, mean_row + static_cast<ptrdiff_t>(shape.classes())},
                       .member_probs = MemberRows(probs, shape, b),
                       .energy = Energy(member_logits, shape, b, temperature)});
  }
  return answers;
}

namespace {

// The odds of a wrong answer when the class is drawn from `probs`.
double Doctor(absl::Span<const float> probs) {
  double squares = 0.0;
  for (const float p : probs) squares += static_cast<double>(p) * p;
  return std::max(0.0, 1.0 - squares) / squares;  // squares may round to above 1
}

}  // namespace

std::optional<double> ScoreOf(const Answer& answer, Score score) {
  switch (score) {
    case Score::kOneMinusConfidence:
      return 1.0 - answer.split.confidence;
    case Score::kTotalEntropy:
      return answer.split.total_nats;
    case Score::kAleatoricEntropy:
      return answer.split.aleatoric_nats;
    case Score::kMutualInformation:
      return answer.split.epistemic_nats;
    case Score::kDisagreement:
      return answer.split.disagreement;
    case Score::kVariationRatio:
      return answer.split.variation_ratio;
    case Score::kEnergy:
      return answer.energy;
    case Score::kDoctor:
      return Doctor(answer.mean_probs);
  }
  return std::nullopt;
}

absl::StatusOr<std::vector<ScoredRow>> ScoreRows(absl::Span<const Answer> answers,
                                                 absl::Span<const size_t> labels, Score score) {
  if (answers.size() != labels.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("labels: got ", labels.size(), ", want one per row, ", answers.size()));
  }
  std::vector<ScoredRow> rows;
  rows.reserve(answers.size());
  for (size_t i = 0; i < answers.size(); ++i) {
    if (labels[i] >= answers[i].mean_probs.size()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "labels[", i, "]: got ", labels[i], ", want below ", answers[i].mean_probs.size()));
    }
    const std::optional<double> value = ScoreOf(answers[i], score);
    if (!value.has_value()) {
      return absl::FailedPreconditionError(
          absl::StrCat("score: ", ScoreName(score), " compares members and there is only one"));
    }
    rows.push_back({.score = *value, .correct = answers[i].split.predicted_class == labels[i]});
  }
  return rows;
}

}  // namespace hydra::uncertainty
