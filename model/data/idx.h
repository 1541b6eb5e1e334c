// IDX files (http://yann.lecun.com/exdb/mnist), plain or gzip.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace hydra::data {

struct IdxImages {
  size_t count = 0;
  size_t height = 0;
  size_t width = 0;
  std::vector<uint8_t> pixels;  // [count, height, width] row-major
};

// A file of unsigned bytes in three dimensions.  Errors: NOT_FOUND no such file; INVALID_ARGUMENT
// another type or number of dimensions, a size of 0, too few or too many bytes, or a damaged gzip
// stream; RESOURCE_EXHAUSTED more than 2 GiB of pixels.  Each message names the file.
absl::StatusOr<IdxImages> ReadIdxImages(const std::string& path);

// A file of unsigned bytes in one dimension.  Errors: as ReadIdxImages.
absl::StatusOr<std::vector<uint8_t>> ReadIdxLabels(const std::string& path);

// The same of bytes in memory; `file` names them in errors.
absl::StatusOr<IdxImages> ParseIdxImages(absl::string_view bytes, absl::string_view file);
absl::StatusOr<std::vector<uint8_t>> ParseIdxLabels(absl::string_view bytes,
                                                    absl::string_view file);

}  // namespace hydra::data
