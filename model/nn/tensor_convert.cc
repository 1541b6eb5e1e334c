#include "model/nn/tensor_convert.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "model/base/check.h"
#include "model/base/status_macros.h"

namespace hydra::nn {

absl::StatusOr<at::Tensor> ReadTensor(const artifact::TensorFile& file, const std::string& name,
                                      const std::vector<int64_t>& shape) {
  const std::vector<size_t> wanted(shape.begin(), shape.end());
  HYDRA_ASSIGN_OR_RETURN(const std::vector<float> values, file.Floats(name, wanted));
  const auto bad =
      std::find_if_not(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
  if (bad != values.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat(file.file(), ": ", name, ": value ", bad - values.begin(), " is not finite"));
  }
  return FromFloats(values, shape);
}

at::Tensor FromFloats(absl::Span<const float> values, at::IntArrayRef shape) {
  at::Tensor tensor = at::empty(shape, at::kFloat);
  HYDRA_CHECK(static_cast<size_t>(tensor.numel()) == values.size());
  if (!values.empty())
    std::memcpy(tensor.data_ptr<float>(), values.data(), values.size() * sizeof(float));
  return tensor;
}

std::vector<float> ToFloatVector(const at::Tensor& tensor) {
  const at::Tensor plain = tensor.detach().to(at::kFloat).contiguous();
  const float* begin = plain.data_ptr<float>();
  return std::vector<float>(begin, begin + plain.numel());
}

absl::StatusOr<std::string> EncodeFloatTensors(const std::map<std::string, at::Tensor>& tensors,
                                               const std::map<std::string, std::string>& metadata) {
  std::map<std::string, at::Tensor> plain;
  std::map<std::string, artifact::TensorEntry> entries;
  for (const auto& [name, tensor] : tensors) {
    const at::Tensor& kept = plain[name] = tensor.detach().to(at::kFloat).contiguous();
    entries[name] = {.dtype = artifact::DType::kF32,
                     .shape = std::vector<size_t>(kept.sizes().begin(), kept.sizes().end()),
                     .bytes = artifact::BytesOf(absl::MakeConstSpan(
                         kept.data_ptr<float>(), static_cast<size_t>(kept.numel())))};
  }
  return artifact::EncodeTensors(entries, metadata);
}

}  // namespace hydra::nn
