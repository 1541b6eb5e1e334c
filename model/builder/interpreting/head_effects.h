// What the base loses when one head is missing.
#pragma once

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/artifact/head_map.h"
#include "model/builder/interpreting/head_features.h"
#include "model/nn/network.h"
#include "model/train/example_set.h"

namespace hydra::builder {

// For each head the mean negative log-likelihood and the accuracy on these rows with that head's
// context set to zero and all others kept, minus those of the whole base.  Layers before the head
// are computed once.
// `base`: M = 1, every head, with a classifier.  Errors: INVALID_ARGUMENT another base, no row or
// no labels; INTERNAL LibTorch's message.
absl::StatusOr<artifact::HeadEffects> MeasureHeadEffects(const nn::Network& base,
                                                         const train::ExampleSet& examples,
                                                         absl::Span<const size_t> rows,
                                                         const RowProgress& progress);

}  // namespace hydra::builder
