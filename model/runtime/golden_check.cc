#include "model/runtime/golden_check.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "model/base/status_macros.h"

namespace hydra::runtime {
namespace {

// Golden answers are few; this bounds the memory of a bundle that has many.
constexpr size_t kRowsPerPass = 16;

absl::Status CheckShape(const artifact::GoldenAnswers& golden, const PredictorShape& shape) {
  if (golden.row_values == 0) {
    return absl::UnimplementedError("golden answers: got no images, want images");
  }
  const bool fits = golden.members == shape.members && golden.classes == shape.classes &&
                    golden.row_values == shape.row_values && golden.batch > 0 &&
                    golden.inputs.size() == golden.batch * golden.row_values &&
                    golden.logits.size() == golden.members * golden.batch * golden.classes;
  if (fits) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "golden answers: got ", golden.members, " members, ", golden.batch, " rows of ",
      golden.row_values, " values and ", golden.classes, " classes, want ", shape.members,
      " members, at least 1 row of ", shape.row_values, " values and ", shape.classes, " classes"));
}

struct Difference {
  double largest = -1.0;
  size_t index = 0;  // in golden.logits
  float got = 0.0f;
};

// Compares rows [first_row, first_row + rows) and keeps the largest difference; a value that is not
// finite is infinitely different.
void Compare(const artifact::GoldenAnswers& golden, size_t first_row, size_t rows,
             absl::Span<const float> got, Difference& difference) {
  for (size_t i = 0; i < got.size(); ++i) {
    const size_t member = i / (rows * golden.classes);
    const size_t in_member = i % (rows * golden.classes);
    const size_t index = (member * golden.batch + first_row) * golden.classes + in_member;
    double apart = std::abs(static_cast<double>(got[i]) - golden.logits[index]);
    if (!std::isfinite(apart)) apart = HUGE_VAL;
    if (apart > difference.largest) difference = {apart, index, got[i]};
  }
}

}  // namespace

absl::Status CheckGolden(const artifact::GoldenAnswers& golden, absl::string_view dtype,
                         Predictor& predictor) {
  HYDRA_RETURN_IF_ERROR(CheckShape(golden, predictor.shape()));
  const auto tolerance = golden.tolerance.find(std::string(dtype));
  if (tolerance == golden.tolerance.end()) {
    return absl::FailedPreconditionError(
        absl::StrCat("golden answers: got no tolerance for ", dtype));
  }
  Difference difference;
  for (size_t first = 0; first < golden.batch; first += kRowsPerPass) {
    const size_t rows = std::min(kRowsPerPass, golden.batch - first);
    const auto inputs = absl::MakeConstSpan(golden.inputs)
                            .subspan(first * golden.row_values, rows * golden.row_values);
    HYDRA_ASSIGN_OR_RETURN(const std::vector<float> got, predictor.Run(inputs, rows));
    if (got.size() != golden.members * rows * golden.classes) {
      return absl::InternalError(absl::StrCat("forward pass: got ", got.size(), " logits, want ",
                                              golden.members * rows * golden.classes));
    }
    Compare(golden, first, rows, got, difference);
  }

  double scale = 0.0;
  for (const float want : golden.logits)
    scale = std::max(scale, std::abs(static_cast<double>(want)));
  const double relative = difference.largest == 0.0 ? 0.0 : difference.largest / scale;
  if (relative <= tolerance->second) return absl::OkStatus();
  const size_t row = difference.index / golden.classes % golden.batch;
  return absl::FailedPreconditionError(absl::StrCat(
      "golden answers: row ", row, ", member ", difference.index / (golden.batch * golden.classes),
      ", class ", difference.index % golden.classes, ": got ", difference.got, ", want ",
      golden.logits[difference.index], "; relative error ", relative, ", tolerance ",
      tolerance->second, " for ", dtype));
}

}  // namespace hydra::runtime
