// The IDX format of LeCun's MNIST files: two zero bytes, type, rank, big-endian sizes, values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace hydra::input {

struct IdxHeader {
  std::vector<uint32_t> sizes;  // N first
  size_t header_bytes = 0;
};

// Errors: INVALID_ARGUMENT with `path` when `bytes` is not an IDX file of unsigned bytes whose
// sizes agree with its length, or a size is 0.
absl::StatusOr<IdxHeader> ParseIdx(absl::string_view bytes, const std::string& path);

// Reads a plain or gzip-compressed file.  Errors: NOT_FOUND; INVALID_ARGUMENT damaged compression;
// RESOURCE_EXHAUSTED more than `max_bytes` decompressed.
absl::StatusOr<std::string> ReadMaybeGzip(const std::string& path, size_t max_bytes);

}  // namespace hydra::input
