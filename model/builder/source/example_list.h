// The examples of a dataset of PNG and JPEG files.
#pragma once

#include "absl/status/statusor.h"
#include "model/builder/source/data_spec.h"
#include "model/data/examples.h"

namespace hydra::builder {

// `spec` of an image folder, a CSV table or JSON lines.  Errors: as the readers of model/data.
absl::StatusOr<data::ExampleList> ListExamples(const DataSpec& spec);

}  // namespace hydra::builder
