// What a dataset holds, as one digest.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "model/builder/source/data_spec.h"

namespace hydra::builder {

// sha256 over the bytes of every file of the dataset with its label and the class names; equal
// data, equal digest, wherever it lies.  Errors: as ReadFile and ListExamples.
absl::StatusOr<std::string> DigestData(const DataSpec& spec);

}  // namespace hydra::builder
