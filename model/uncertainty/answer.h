// From member logits to everything that is said about a row: the one path of server and builder.
#pragma once

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/uncertainty/ensemble_shape.h"
#include "model/uncertainty/scores.h"
#include "model/uncertainty/split.h"

namespace hydra::uncertainty {

struct Answer {
  UncertaintySplit split;
  std::vector<float> mean_probs;    // [C]
  std::vector<float> member_probs;  // [M, C]
  double energy = 0.0;              // -mean_m log sum_c exp(z_mc / T)
};

// p_m = softmax(z_m / T), then the split of their mean; energy as in Liu et al. 2020, equation 4,
// without its factor T, averaged over members.  `member_logits`: [M, B, C] row-major.  Row b of the
// answer depends on row b of the logits only.  Thread-safe.
// Errors: INVALID_ARGUMENT wrong size, a logit that is not finite, or T not positive and finite.
absl::StatusOr<std::vector<Answer>> AnswerRows(absl::Span<const float> member_logits,
                                               EnsembleShape shape, double temperature);

// The value of one score; unset when it compares members and there is only one.
std::optional<double> ScoreOf(const Answer& answer, Score score);

// The score of each row with whether its predicted class is its label.
// Errors: INVALID_ARGUMENT if the lengths differ or a label is not a class; FAILED_PRECONDITION if
// the score compares members and there is only one.
absl::StatusOr<std::vector<ScoredRow>> ScoreRows(absl::Span<const Answer> answers,
                                                 absl::Span<const size_t> labels, Score score);

}  // namespace hydra::uncertainty
