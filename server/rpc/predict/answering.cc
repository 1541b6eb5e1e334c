#include "server/rpc/predict/answering.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "model/base/status_detail.h"
#include "model/base/status_macros.h"
#include "model/uncertainty/conformal.h"
#include "server/policy/judge.h"

namespace hydra::rpc {
namespace {

// Whatever is wrong from here on is not the caller's fault.
absl::Status Internal(const absl::Status& status) {
  return base::WithReason(absl::InternalError(absl::StrCat("answering: ", status.message())),
                          "ANSWERING_FAILED");
}

absl::StatusOr<std::vector<std::vector<size_t>>> ConformalSets(
    const uncertainty::Answer& answer, const artifact::Calibration& calibration) {
  std::vector<std::vector<size_t>> sets;
  for (const artifact::ConformalQuantile& quantile : calibration.conformal) {
    HYDRA_ASSIGN_OR_RETURN(const uncertainty::ConformalMethod method,
                           uncertainty::ParseConformalMethod(quantile.method));
    sets.push_back(uncertainty::ConformalSet(answer.mean_probs, quantile.quantile, method));
  }
  return sets;
}

absl::StatusOr<AnsweredRow> Decide(uncertainty::Answer answer, const policy::Snapshot& snapshot) {
  const artifact::Calibration& calibration = snapshot.bundle->calibration;
  AnsweredRow row;
  HYDRA_ASSIGN_OR_RETURN(row.conformal_sets, ConformalSets(answer, calibration));
  row.answer = std::move(answer);
  row.decision =
      policy::Judge(snapshot.policy.rules, row.answer, SampleOf(row).set_sizes, calibration);
  return row;
}

absl::StatusOr<std::vector<AnsweredRow>> AnswerRows(const batching::JobResult& result, size_t rows,
                                                    const policy::Snapshot& snapshot) {
  const artifact::Manifest& manifest = snapshot.bundle->manifest;
  HYDRA_ASSIGN_OR_RETURN(
      const uncertainty::EnsembleShape shape,
      uncertainty::EnsembleShape::Create(manifest.members, rows, manifest.geometry.classes));
  HYDRA_ASSIGN_OR_RETURN(std::vector<uncertainty::Answer> answers,
                         uncertainty::AnswerRows(result.member_logits, shape,
                                                 snapshot.bundle->calibration.temperature));
  std::vector<AnsweredRow> answered;
  answered.reserve(answers.size());
  for (uncertainty::Answer& answer : answers) {
    HYDRA_ASSIGN_OR_RETURN(AnsweredRow row, Decide(std::move(answer), snapshot));
    answered.push_back(std::move(row));
  }
  return answered;
}

}  // namespace

absl::StatusOr<std::vector<AnsweredRow>> AnswerJob(const batching::JobResult& result,
                                                   absl::Span<const size_t> truncated_tokens,
                                                   const policy::Snapshot& snapshot) {
  absl::StatusOr<std::vector<AnsweredRow>> answered =
      AnswerRows(result, truncated_tokens.size(), snapshot);
  if (!answered.ok()) return Internal(answered.status());
  for (size_t i = 0; i < answered->size(); ++i) {
    (*answered)[i].truncated_tokens = truncated_tokens[i];
  }
  return answered;
}

policy::LiveSample SampleOf(const AnsweredRow& row) {
  policy::LiveSample sample;
  sample.answer.split = row.answer.split;
  sample.answer.energy = row.answer.energy;
  for (const std::vector<size_t>& set : row.conformal_sets) sample.set_sizes.push_back(set.size());
  return sample;
}

}  // namespace hydra::rpc
