// The one door between the server (or the builder) and LibTorch: torch-free on purpose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/runtime/head_attention.h"

namespace hydra::runtime {

struct Rows;

// What one row of input must look like and what comes back.  A predictor takes images or texts; the
// fields of the other kind are 0.
struct PredictorShape {
  size_t members = 0;     // M
  size_t classes = 0;     // C
  size_t row_values = 0;  // images: float32 values of one, channels * height * width
  size_t max_tokens = 0;  // texts: a row has 1..max_tokens
  size_t vocabulary = 0;  // texts: token ids are 0..vocabulary-1

  bool takes_texts() const { return vocabulary > 0; }
  bool operator==(const PredictorShape&) const = default;
};

// A loaded ensemble.  Run, RunTexts and Explain are called by one thread at a time per object;
// objects do not share mutable state, so that one predictor per lane runs in parallel.
class Predictor {
 public:
  virtual ~Predictor() = default;

  virtual const PredictorShape& shape() const = 0;

  // One merged forward pass.  `rows`: [B, row_values] row-major float32, B >= 1.
  // Returns member logits [M, B, C] row-major, before the temperature.  Row b depends on input b
  // only. Errors: INVALID_ARGUMENT wrong size, or the network takes texts; RESOURCE_EXHAUSTED out
  // of memory; INTERNAL LibTorch's message.
  virtual absl::StatusOr<std::vector<float>> Run(absl::Span<const float> rows, size_t batch) = 0;

  // The same for B texts.  `ids`: the tokens of all texts one after the other, without padding;
  // `lengths`: [B].  Errors: INVALID_ARGUMENT as CheckTexts (rows.h); else as Run.
  virtual absl::StatusOr<std::vector<float>> RunTexts(absl::Span<const int64_t> /*ids*/,
                                                      absl::Span<const size_t> /*lengths*/) {
    return absl::InvalidArgumentError("texts: this predictor takes images");
  }

  // One forward pass of one input for the attention of the asked heads, one answer a query.  Slower
  // than Run, as attention is not fused.  Errors: INVALID_ARGUMENT not one row of `shape`, or a
  // head that the member does not keep; UNIMPLEMENTED this predictor cannot; else as Run.
  virtual absl::StatusOr<std::vector<HeadAttention>> Explain(
      const Rows& /*row*/, absl::Span<const HeadQuery> /*heads*/) {
    return absl::UnimplementedError("explain: this predictor does not show its attention");
  }
};

}  // namespace hydra::runtime
