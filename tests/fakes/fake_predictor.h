// A predictor whose answer tells which input it was made from.
#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "model/runtime/predictor.h"
#include "model/runtime/rows.h"

namespace hydra::fakes {

// Logit (m, b, c) = 100 m + 10 c + sum of row b (of a text its ids), so every value names its
// member, class and row.
class FakePredictor final : public runtime::Predictor {
 public:
  // Called before each pass with its rows (of texts the token ids) and its batch size; a status
  // that is not OK fails the pass.
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
    if (absl::Status status = runtime::CheckImages(rows, batch, shape_); !status.ok()) {
      return status;
    }
    return Answer(rows, std::vector<size_t>(batch, shape_.row_values));
  }

  absl::StatusOr<std::vector<float>> RunTexts(absl::Span<const int64_t> ids,
                                              absl::Span<const size_t> lengths) override {
    if (absl::Status status = runtime::CheckTexts(ids, lengths, shape_); !status.ok()) {
      return status;
    }
    return Answer(std::vector<float>(ids.begin(), ids.end()), lengths);
  }

  // Attention of `tokens` tokens that falls with their distance, the faster the larger head, layer
  // and member are.
  static runtime::HeadAttention Attention(const runtime::HeadQuery& query, size_t tokens) {
    runtime::HeadAttention attention{.tokens = tokens};
    const double decay =
        0.3 + 0.1 * static_cast<double>(query.head + 5 * query.layer + 25 * query.member);
    for (size_t i = 0; i < tokens; ++i) {
      const auto weight = [&](size_t j) {
        return std::exp(-decay * std::abs(static_cast<double>(i) - static_cast<double>(j)));
      };
      double sum = 0.0;
      for (size_t j = 0; j < tokens; ++j) sum += weight(j);
      for (size_t j = 0; j < tokens; ++j) {
        attention.probabilities.push_back(static_cast<float>(weight(j) / sum));
      }
    }
    return attention;
  }

  // As if every value of an image were a patch, behind one CLS token.
  absl::StatusOr<std::vector<runtime::HeadAttention>> Explain(
      const runtime::Rows& row, absl::Span<const runtime::HeadQuery> heads) override {
    if (absl::Status status = runtime::CheckRows(row, 1, shape_); !status.ok()) return status;
    if (hook_ != nullptr) {
      if (absl::Status status = hook_(row.values, 1); !status.ok()) return status;
    }
    const size_t tokens = shape_.takes_texts() ? row.lengths.front() : shape_.row_values + 1;
    std::vector<runtime::HeadAttention> attention;
    for (const runtime::HeadQuery& query : heads) attention.push_back(Attention(query, tokens));
    return attention;
  }

 private:
  absl::StatusOr<std::vector<float>> Answer(absl::Span<const float> values,
                                            absl::Span<const size_t> lengths) const {
    if (hook_ != nullptr) {
      if (absl::Status status = hook_(values, lengths.size()); !status.ok()) return status;
    }
    std::vector<float> logits;
    logits.reserve(shape_.members * lengths.size() * shape_.classes);
    for (size_t m = 0; m < shape_.members; ++m) {
      size_t begin = 0;
      for (const size_t length : lengths) {
        const auto row = values.subspan(begin, length);
        for (size_t c = 0; c < shape_.classes; ++c) logits.push_back(Logit(m, c, row));
        begin += length;
      }
    }
    return logits;
  }

  runtime::PredictorShape shape_;
  Hook hook_;
};

}  // namespace hydra::fakes
