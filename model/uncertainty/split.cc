#include "model/uncertainty/split.h"

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"

namespace hydra::uncertainty {
namespace {

constexpr double kRowSumTolerance =
    1e-4;  // float32 softmax over a thousand classes stays below 1e-5

absl::Status CheckSize(absl::Span<const float> probs, EnsembleShape shape) {
  if (probs.size() == shape.size()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("probs: got ", probs.size(), " values, want ", shape.size()));
}

absl::Status CheckDistributions(absl::Span<const float> probs, EnsembleShape shape) {
  for (size_t start = 0; start < probs.size(); start += shape.classes()) {
    double sum = 0.0;
    bool negative = false;
    for (const float p : probs.subspan(start, shape.classes())) {
      sum += p;
      negative = negative || p < 0.0f;
    }
    if (negative || !(std::abs(sum - 1.0) <= kRowSumTolerance)) {
      return absl::InvalidArgumentError(
          absl::StrCat("probs: row ", start / shape.classes(), " sums to ", sum,
                       negative ? " with a negative entry" : "", ", want a distribution"));
    }
  }
  return absl::OkStatus();
}

template <typename Number>
size_t ArgMax(absl::Span<const Number> row) {
  return static_cast<size_t>(std::max_element(row.begin(), row.end()) - row.begin());
}

template <typename Number>
double EntropyNats(absl::Span<const Number> row) {
  double entropy = 0.0;
  for (const double p : row) {
    if (p > 0.0) entropy -= p * std::log(p);
  }
  return entropy;
}

std::vector<double> MeanRow(absl::Span<const float> probs, EnsembleShape shape, size_t row) {
  std::vector<double> mean(shape.classes(), 0.0);
  for (size_t m = 0; m < shape.members(); ++m) {
    const size_t offset = shape.RowOffset(m, row);
    for (size_t c = 0; c < mean.size(); ++c) mean[c] += probs[offset + c];
  }
  for (double& p : mean) p /= static_cast<double>(shape.members());
  return mean;
}

void CompareMembers(const std::vector<size_t>& votes, UncertaintySplit& split) {
  size_t against = 0;
  size_t differing_pairs = 0;
  for (size_t i = 0; i < votes.size(); ++i) {
    against += votes[i] != split.predicted_class;
    for (size_t j = 0; j < i; ++j) differing_pairs += votes[i] != votes[j];
  }
  const double members = static_cast<double>(votes.size());
  split.epistemic_nats = std::max(0.0, split.total_nats - split.aleatoric_nats);
  split.disagreement = static_cast<double>(differing_pairs) / (members * (members - 1.0) / 2.0);
  split.variation_ratio = static_cast<double>(against) / members;
}

UncertaintySplit SplitRow(absl::Span<const float> probs, EnsembleShape shape, size_t row) {
  const std::vector<double> mean = MeanRow(probs, shape, row);
  const absl::Span<const double> mean_span(mean);
  UncertaintySplit split;
  split.predicted_class = ArgMax(mean_span);
  split.confidence = mean[split.predicted_class];
  split.total_nats = EntropyNats(mean_span);
  std::vector<size_t> votes;
  for (size_t m = 0; m < shape.members(); ++m) {
    const auto member_row = probs.subspan(shape.RowOffset(m, row), shape.classes());
    split.aleatoric_nats += EntropyNats(member_row) / static_cast<double>(shape.members());
    votes.push_back(ArgMax(member_row));
  }
  split.aleatoric_nats =
      std::min(split.aleatoric_nats, split.total_nats);  // concavity, up to rounding
  if (shape.members() > 1) CompareMembers(votes, split);
  return split;
}

}  // namespace

absl::StatusOr<std::vector<UncertaintySplit>> SplitUncertainty(absl::Span<const float> probs,
                                                               EnsembleShape shape) {
  HYDRA_RETURN_IF_ERROR(CheckSize(probs, shape));
  HYDRA_RETURN_IF_ERROR(CheckDistributions(probs, shape));
  std::vector<UncertaintySplit> splits;
  splits.reserve(shape.batch());
  for (size_t b = 0; b < shape.batch(); ++b) splits.push_back(SplitRow(probs, shape, b));
  return splits;
}

absl::StatusOr<std::vector<float>> MeanOverMembers(absl::Span<const float> probs,
                                                   EnsembleShape shape) {
  HYDRA_RETURN_IF_ERROR(CheckSize(probs, shape));
  std::vector<float> mean;
  mean.reserve(shape.batch() * shape.classes());
  for (size_t b = 0; b < shape.batch(); ++b) {
    for (const double p : MeanRow(probs, shape, b)) mean.push_back(static_cast<float>(p));
  }
  return mean;
}

}  // namespace hydra::uncertainty
