#include "model/runtime/golden_check.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "model/base/status_macros.h"
#include "model/runtime/rows.h"

namespace hydra::runtime {
namespace {

// Golden answers are few; this bounds the memory of a bundle that has many.
constexpr size_t kRowsPerPass = 16;

// The texts of the golden answers without padding, or OK and nothing of images.
absl::StatusOr<Rows> PackTexts(const artifact::GoldenAnswers& golden) {
  Rows rows;
  if (golden.tokens == 0) return rows;
  const size_t cells = golden.batch * golden.tokens;
  if (golden.token_ids.size() != cells || golden.attention_mask.size() != cells) {
    return absl::FailedPreconditionError(
        absl::StrCat("golden answers: got ", golden.token_ids.size(), " token ids and a mask of ",
                     golden.attention_mask.size(), ", want ", golden.batch, " x ", golden.tokens));
  }
  for (size_t b = 0; b < golden.batch; ++b) {
    const auto mask =
        golden.attention_mask.begin() + static_cast<std::ptrdiff_t>(b * golden.tokens);
    const auto end = mask + static_cast<std::ptrdiff_t>(golden.tokens);
    const auto padding = std::find(mask, end, 0);
    if (padding == mask || std::any_of(padding, end, [](int64_t seen) { return seen != 0; })) {
      return absl::FailedPreconditionError(absl::StrCat("golden answers: attention_mask of row ", b,
                                                        ": want ones and then zeros, a one first"));
    }
    rows.lengths.push_back(static_cast<size_t>(padding - mask));
    const auto ids = golden.token_ids.begin() + (mask - golden.attention_mask.begin());
    rows.token_ids.insert(rows.token_ids.end(), ids, ids + (padding - mask));
  }
  return rows;
}

absl::Status CheckShape(const artifact::GoldenAnswers& golden, const PredictorShape& shape) {
  const bool same_kind = (golden.tokens > 0) == shape.takes_texts();
  const bool inputs_fit =
      shape.takes_texts() || (golden.row_values == shape.row_values &&
                              golden.inputs.size() == golden.batch * golden.row_values);
  const bool fits = same_kind && inputs_fit && golden.members == shape.members &&
                    golden.classes == shape.classes && golden.batch > 0 &&
                    golden.logits.size() == golden.members * golden.batch * golden.classes;
  if (fits) return absl::OkStatus();
  const auto row = [](size_t tokens, size_t values) {
    return tokens > 0 ? absl::StrCat("at most ", tokens, " tokens")
                      : absl::StrCat(values, " values");
  };
  return absl::FailedPreconditionError(
      absl::StrCat("golden answers: got ", golden.members, " members, ", golden.batch, " rows of ",
                   row(golden.tokens, golden.row_values), " and ", golden.classes,
                   " classes, want ", shape.members, " members, at least 1 row of ",
                   row(shape.max_tokens, shape.row_values), " and ", shape.classes, " classes"));
}

// Rows [first, first + count) of the golden inputs, of which `texts` has those that are texts.
absl::StatusOr<std::vector<float>> RunPart(const artifact::GoldenAnswers& golden, const Rows& texts,
                                           size_t first, size_t count, Predictor& predictor) {
  if (texts.lengths.empty()) {
    return predictor.Run(absl::MakeConstSpan(golden.inputs)
                             .subspan(first * golden.row_values, count * golden.row_values),
                         count);
  }
  const auto lengths = absl::MakeConstSpan(texts.lengths);
  const auto tokens = [](absl::Span<const size_t> part) {
    return std::accumulate(part.begin(), part.end(), size_t{0});
  };
  const auto part = lengths.subspan(first, count);
  return predictor.RunTexts(
      absl::MakeConstSpan(texts.token_ids).subspan(tokens(lengths.first(first)), tokens(part)),
      part);
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

absl::StatusOr<double> CheckGolden(const artifact::GoldenAnswers& golden, absl::string_view dtype,
                                   Predictor& predictor) {
  HYDRA_RETURN_IF_ERROR(CheckShape(golden, predictor.shape()));
  HYDRA_ASSIGN_OR_RETURN(const Rows texts, PackTexts(golden));
  const auto tolerance = golden.tolerance.find(std::string(dtype));
  if (tolerance == golden.tolerance.end()) {
    return absl::FailedPreconditionError(
        absl::StrCat("golden answers: got no tolerance for ", dtype));
  }
  Difference difference;
  for (size_t first = 0; first < golden.batch; first += kRowsPerPass) {
    const size_t rows = std::min(kRowsPerPass, golden.batch - first);
    HYDRA_ASSIGN_OR_RETURN(const std::vector<float> got,
                           RunPart(golden, texts, first, rows, predictor));
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
  if (relative <= tolerance->second) return relative;
  const size_t row = difference.index / golden.classes % golden.batch;
  return absl::FailedPreconditionError(absl::StrCat(
      "golden answers: row ", row, ", member ", difference.index / (golden.batch * golden.classes),
      ", class ", difference.index % golden.classes, ": got ", difference.got, ", want ",
      golden.logits[difference.index], "; relative error ", relative, ", tolerance ",
      tolerance->second, " for ", dtype));
}

}  // namespace hydra::runtime
