// A predictor whose answer tells which input it was made from.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "model/runtime/predictor.h"

namespace hydra::fakes {

// Logit (m, b, c) = 100 m + 10 c + sum of row b, so every value names its member, class and row.
class FakePredictor final : public runtime::Predictor {
 public:
  // Called before each pass with its batch size; a status that is not OK fails the pass.
  using Hook = std::function<absl::Status(absl::Span<const float> rows, size_t batch)>;

  explicit FakePredictor(runtime::PredictorShape shape, Hook hook = nullptr)
      : shape_(shape), hook_(std::move(hook)) {}

  static float Logit(size_t member, size_t class_index, absl::Span<const float> row) {
    float sum = 100.0f * static_cast<float>(member) + 10.0f * static_cast<float>(class_index);
    for (const float value : row) sum += value;
    return sum;
  }

  const runtime::PredictorShape& shape() const override { return shape_; }

  absl::StatusOr<std::vector<float>> Run(absl::Span<const float> rows, size_t batch) override {
    if (batch == 0 || rows.size() != batch * shape_.row_values) {
      return absl::InvalidArgumentError(absl::StrCat("rows: got ", rows.size(), " values, want ",
                                                     batch, " x ", shape_.row_values));
    }
    if (hook_ != nullptr) {
      if (absl::Status status = hook_(rows, batch); !status.ok()) return status;
    }
    std::vector<float> logits;
    logits.reserve(shape_.members * batch * shape_.classes);
    for (size_t m = 0; m < shape_.members; ++m) {
      for (size_t b = 0; b < batch; ++b) {
        const auto row = rows.subspan(b * shape_.row_values, shape_.row_values);
        for (size_t c = 0; c < shape_.classes; ++c) logits.push_back(Logit(m, c, row));
      }
    }
    return logits;
  }

 private:
  runtime::PredictorShape shape_;
  Hook hook_;
};

}  // namespace hydra::fakes
