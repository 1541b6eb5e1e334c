// From one instance's bytes to one row of the network's input.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/preprocess/image.h"
#include "server/policy/served_bundle.h"

namespace hydra::rpc {

// What one request may hold.
struct RequestLimits {
  size_t max_instances = 0;
  preprocess::ImageLimits image;
};

// Reads for one bundle, which outlives it.  Thread-safe.  Each function returns [C, H, W] row-major
// float32, finite.  Errors: INVALID_ARGUMENT, with a reason.
class RowReader {
 public:
  RowReader(const policy::ServedBundle& bundle, preprocess::ImageLimits limits)
      : bundle_(bundle), limits_(limits) {}

  // An encoded JPEG or PNG.  Reasons: BAD_IMAGE; WRONG_INPUT_KIND the model takes no images.
  absl::StatusOr<std::vector<float>> Image(absl::string_view encoded) const;

  // One byte a value, not yet rescaled and normalised.  Reasons: WRONG_BYTE_COUNT,
  // WRONG_INPUT_KIND.
  absl::StatusOr<std::vector<float>> Pixels(absl::string_view bytes) const;

  // Little-endian float32, already normalised.  Reasons: WRONG_BYTE_COUNT, NON_FINITE_INPUT.
  absl::StatusOr<std::vector<float>> Values(absl::string_view bytes) const;

  // Errors: INVALID_ARGUMENT WRONG_SHAPE when `shape` is not [C, H, W] of the bundle.
  absl::Status CheckShape(const std::vector<int64_t>& shape) const;

  // [C, H, W].
  std::vector<int64_t> shape() const;

 private:
  size_t row_values() const;

  const policy::ServedBundle& bundle_;
  preprocess::ImageLimits limits_;
};

// "[1, 28, 28]".
std::string ShapeText(const std::vector<int64_t>& shape);

}  // namespace hydra::rpc
