// Tensors of one shape that follow each other in a file: raw values, or the IDX format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/input/source.h"

namespace hydra::input {

// Largest file of raw values that is read.
inline constexpr size_t kMaxTensorBytes = size_t{512} << 20;

struct RawTensorOptions {
  std::string path;
  v1::TensorDataType dtype = v1::TENSOR_DATA_TYPE_FP32;
  std::vector<int64_t> shape;  // of one input, [C, H, W]
};

struct IdxOptions {
  std::string images;                 // unsigned bytes, [N, H, W]; .gz or plain
  std::optional<std::string> labels;  // unsigned bytes, [N]
};

class TensorSource final : public Source {
 public:
  // Row-major little-endian values without a header; the file holds one or more inputs.
  // Errors: NOT_FOUND; INVALID_ARGUMENT a shape without values, or a size that is not a multiple of
  // one input's; RESOURCE_EXHAUSTED the file is too large.
  static absl::StatusOr<std::unique_ptr<TensorSource>> OpenRaw(const RawTensorOptions& options);

  // The format of MNIST and Fashion-MNIST.  Errors: NOT_FOUND; INVALID_ARGUMENT not that format,
  // or another number of labels than images; RESOURCE_EXHAUSTED the file is too large.
  static absl::StatusOr<std::unique_ptr<TensorSource>> OpenIdx(const IdxOptions& options);

  // Passes over `count` inputs.
  void Skip(size_t count);
  absl::StatusOr<std::vector<NamedInput>> Next(size_t count) override;

 private:
  TensorSource() = default;

  std::string path_;
  v1::Tensor form_;  // dtype and shape of every input, without data
  std::string bytes_;
  std::vector<uint8_t> labels_;  // one an input, or empty
  size_t row_bytes_ = 0;
  size_t rows_ = 0;
  size_t next_ = 0;
};

}  // namespace hydra::input
