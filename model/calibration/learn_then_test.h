// Thresholds for which several risks are below their levels at once, by testing.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace hydra::calibration {

// What the certify split says about one risk at one candidate: for the selective risk the accepted
// rows and their errors, for the acceptance of outliers all outliers and the accepted ones.
struct LossCount {
  size_t rows = 0;
  double loss = 0.0;  // sum over the rows
};

enum class LossKind {
  kBinary,   // 0 or 1: the binomial p-value
  kBounded,  // in [0, 1]: the Hoeffding-Bentkus p-value
};

struct ControlledRisk {
  std::string name;
  double level = 0.0;  // the risk must be below it
  LossKind kind = LossKind::kBinary;
  std::vector<LossCount> counts;  // one per candidate
};

// Candidates are tested in their order from each start on until one fails; each start has delta /
// (number of starts).  Order and starts must be fixed without the labels of the certify split.
struct TestSequence {
  std::vector<size_t> starts;  // candidates, ascending
  double delta = 0.05;
};

// Every certified candidate, ascending.  Without one, `explanation` says which risk failed where,
// and `rows_needed` how many rows that risk takes there even without a loss.
struct TestedCandidates {
  std::vector<size_t> certified;
  std::optional<size_t> rows_needed;
  std::string explanation;
};

// Learn-then-Test (Angelopoulos et al. 2021) by fixed-sequence testing: P(a certified candidate has
// a risk at or above its level) <= delta.  The p-value of a candidate is the largest over its
// risks, which tests "one of them is at or above its level".
// Errors: INVALID_ARGUMENT no risk or start, starts that do not ascend or leave the candidates, a
// level or delta outside (0, 1), counts of other lengths, or a loss outside [0, rows] or, for a
// binary one, not whole.
absl::StatusOr<TestedCandidates> LearnThenTest(absl::Span<const ControlledRisk> risks,
                                               const TestSequence& sequence);

// The first candidate that will accept ceil(ln delta / ln(1 - level)) of `rows` certify rows: with
// fewer even a candidate without errors fails, and with it its whole sequence.  Judged by the path
// split: two standard deviations of the number that both splits' chances give stay as a margin.
// `coverage`: of each candidate over `path_rows` rows, ascending; unset if no candidate will do.
struct ExpectedCoverage {
  std::vector<double> coverage;
  size_t path_rows = 0;
  size_t rows = 0;
};
std::optional<size_t> FirstTestable(const ExpectedCoverage& expected, double level, double delta);

}  // namespace hydra::calibration
