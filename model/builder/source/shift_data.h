// A dataset under harder conditions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "model/builder/source/labelled_data.h"
#include "model/data/corruption.h"

namespace hydra::builder {

// The same rows and labels with every image corrupted.  What is drawn depends on the seed, the
// corruption, the severity and the image, so that a row is changed alike among any others.
// Errors: FAILED_PRECONDITION texts.
absl::StatusOr<LabelledData> CorruptImages(const LabelledData& data, data::Corruption corruption,
                                           size_t severity, uint64_t seed);

}  // namespace hydra::builder
