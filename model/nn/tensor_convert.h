// Between safetensors bytes and LibTorch tensors.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/artifact/tensor_file.h"

namespace hydra::nn {

// A float32 copy of the tensor, from F32, F16 or BF16.
// Errors: NOT_FOUND no such tensor; INVALID_ARGUMENT another shape or dtype (names it), or a value
// that is not finite.
absl::StatusOr<at::Tensor> ReadTensor(const artifact::TensorFile& file, const std::string& name,
                                      const std::vector<int64_t>& shape);

// float32 values copied into a new tensor of this shape; values.size() must be its product.
at::Tensor FromFloats(absl::Span<const float> values, at::IntArrayRef shape);

// Row-major float32 values of a tensor.
std::vector<float> ToFloatVector(const at::Tensor& tensor);

// A safetensors file of float32 tensors.  Errors: as artifact::EncodeTensors.
absl::StatusOr<std::string> EncodeFloatTensors(const std::map<std::string, at::Tensor>& tensors,
                                               const std::map<std::string, std::string>& metadata);

}  // namespace hydra::nn
