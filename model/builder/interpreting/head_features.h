// How strongly the classification token looks at anything: one number a head and input.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/nn/network.h"
#include "model/train/example_set.h"

namespace hydra::builder {

// Told after each batch how many rows are done.
using RowProgress = std::function<void(size_t done)>;

// [n, layers * heads] for these rows of `examples`: the largest attention weight that the first
// token (CLS) gives to a patch or word, after the softmax over all tokens (SAPER, section 3.1).
// Prefix tokens of images and the last token of texts, which is special too, are no patches or
// words; a text without words gives 0.
// `base`: M = 1, every head.  Errors: INVALID_ARGUMENT a base with more members, pruned, or without
// a token before its patches; INTERNAL LibTorch's message.
absl::StatusOr<std::vector<double>> HeadFeatures(const nn::Network& base,
                                                 const train::ExampleSet& examples,
                                                 absl::Span<const size_t> rows,
                                                 const RowProgress& progress);

// Errors: INVALID_ARGUMENT a network with more than one member or with pruned heads; `what` names
// the measurement.
absl::Status CheckWholeBase(const nn::Network& base, absl::string_view what);

}  // namespace hydra::builder
