#include "model/calibration/learn_then_test.h"

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "model/calibration/p_values.h"
#include "model/uncertainty/binomial.h"

namespace hydra::calibration {
namespace {

bool InsideUnit(double value) { return value > 0.0 && value < 1.0; }

absl::Status CheckCount(const ControlledRisk& risk, size_t candidate) {
  const LossCount& count = risk.counts[candidate];
  const bool whole = risk.kind == LossKind::kBounded || count.loss == std::floor(count.loss);
  if (count.loss >= 0.0 && count.loss <= static_cast<double>(count.rows) && whole) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat(risk.name, " of candidate ", candidate, ": got loss ", count.loss, " over ",
                   count.rows, " rows, want 0..rows, whole if the loss is binary"));
}

absl::Status CheckRisk(const ControlledRisk& risk, size_t candidates) {
  if (!InsideUnit(risk.level)) {
    return absl::InvalidArgumentError(absl::StrCat("level of ", risk.name, ": got ", risk.level,
                                                   ", want more than 0 and less than 1"));
  }
  if (risk.counts.size() != candidates) {
    return absl::InvalidArgumentError(
        absl::StrCat(risk.name, ": got ", risk.counts.size(), " candidates, want ", candidates));
  }
  for (size_t i = 0; i < candidates; ++i) HYDRA_RETURN_IF_ERROR(CheckCount(risk, i));
  return absl::OkStatus();
}

absl::Status CheckSequence(const TestSequence& sequence, size_t candidates) {
  if (!InsideUnit(sequence.delta)) {
    return absl::InvalidArgumentError(
        absl::StrCat("delta: got ", sequence.delta, ", want more than 0 and less than 1"));
  }
  if (sequence.starts.empty()) return absl::InvalidArgumentError("starts: got none");
  for (size_t i = 0; i < sequence.starts.size(); ++i) {
    const size_t start = sequence.starts[i];
    if (start >= candidates || (i > 0 && start <= sequence.starts[i - 1])) {
      return absl::InvalidArgumentError(
          absl::StrCat("starts[", i, "]: got ", start, ", want ascending and below ", candidates));
    }
  }
  return absl::OkStatus();
}

double PValue(const ControlledRisk& risk, size_t candidate) {
  const LossCount& count = risk.counts[candidate];
  return risk.kind == LossKind::kBinary
             ? BinomialPValue(static_cast<size_t>(count.loss), count.rows, risk.level)
             : HoeffdingBentkusPValue(count.loss, count.rows, risk.level);
}

// The risk with the largest p-value.
const ControlledRisk& Hardest(absl::Span<const ControlledRisk> risks, size_t candidate) {
  return *std::max_element(risks.begin(), risks.end(),
                           [&](const ControlledRisk& a, const ControlledRisk& b) {
                             return PValue(a, candidate) < PValue(b, candidate);
                           });
}

}  // namespace

absl::StatusOr<TestedCandidates> LearnThenTest(absl::Span<const ControlledRisk> risks,
                                               const TestSequence& sequence) {
  if (risks.empty()) return absl::InvalidArgumentError("risks: got none");
  const size_t candidates = risks[0].counts.size();
  for (const ControlledRisk& risk : risks) HYDRA_RETURN_IF_ERROR(CheckRisk(risk, candidates));
  HYDRA_RETURN_IF_ERROR(CheckSequence(sequence, candidates));
  const double share = sequence.delta / static_cast<double>(sequence.starts.size());
  TestedCandidates tested;
  size_t next = 0;  // everything before it has been tested or skipped
  for (const size_t start : sequence.starts) {
    for (size_t i = std::max(start, next); i < candidates; ++i) {
      if (PValue(Hardest(risks, i), i) > share) break;
      tested.certified.push_back(i);
      next = i + 1;
    }
  }
  if (!tested.certified.empty()) return tested;
  const size_t first = sequence.starts.front();
  const ControlledRisk& failed = Hardest(risks, first);
  tested.rows_needed = uncertainty::RowsNeededWithoutErrors(failed.level, share);
  tested.explanation = absl::StrCat(
      failed.name, " of candidate ", first, ": loss ", failed.counts[first].loss, " over ",
      failed.counts[first].rows, " rows does not show a risk below ", failed.level,
      "; even without a loss ", *tested.rows_needed, " rows would be needed");
  return tested;
}

std::optional<size_t> FirstTestable(const ExpectedCoverage& expected, double level, double delta) {
  constexpr double kDeviations = 2.0;
  const double needed = static_cast<double>(uncertainty::RowsNeededWithoutErrors(level, delta));
  const double rows = static_cast<double>(expected.rows);
  const double path_rows = static_cast<double>(expected.path_rows);
  for (size_t i = 0; i < expected.coverage.size(); ++i) {
    const double c = expected.coverage[i];
    const double variance = c * (1.0 - c) * (rows + rows * rows / path_rows);
    if (c * rows - kDeviations * std::sqrt(variance) >= needed) return i;
  }
  return std::nullopt;
}

}  // namespace hydra::calibration
