// A folder of images, one sub-folder a class.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "model/data/examples.h"

namespace hydra::data {

// Classes are the sub-folders in the order of their names, examples the .png, .jpg and .jpeg files
// in them, in the order of class and file name.  A folder that holds images itself has no labels.
// Hidden files are left out.  Errors: NOT_FOUND no such folder; INVALID_ARGUMENT images and
// sub-folders side by side, a file of another kind, a folder in a class, a class without images;
// RESOURCE_EXHAUSTED more than kMaxExamples; INTERNAL the system's reason.  Each names the path.
absl::StatusOr<ExampleList> ReadImageFolder(const std::string& path);

}  // namespace hydra::data
