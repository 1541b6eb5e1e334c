#include "server/rpc/predict/instance_conversion.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_detail.h"
#include "model/base/status_macros.h"

namespace hydra::rpc {
namespace {

// `cause` is about the field at `path`.
absl::Status At(absl::string_view path, const absl::Status& cause) {
  if (cause.ok()) return cause;
  return base::WithFieldViolations(
      base::WithReason(absl::InvalidArgumentError(absl::StrCat(path, ": ", cause.message())),
                       base::ReasonOf(cause)),
      {{std::string(path), std::string(cause.message())}});
}

absl::Status Wrong(absl::string_view path, absl::string_view reason, absl::string_view message) {
  return At(path, base::WithReason(absl::InvalidArgumentError(message), reason));
}

absl::StatusOr<std::vector<float>> ReadTensor(const v1::Tensor& tensor, absl::string_view path,
                                              const RowReader& reader) {
  const std::vector<int64_t> shape(tensor.shape().begin(), tensor.shape().end());
  HYDRA_RETURN_IF_ERROR(At(absl::StrCat(path, ".shape"), reader.CheckShape(shape)));
  absl::StatusOr<std::vector<float>> row;
  switch (tensor.dtype()) {
    case v1::TENSOR_DATA_TYPE_UINT8:
      row = reader.Pixels(tensor.data());
      break;
    case v1::TENSOR_DATA_TYPE_FP32:
      row = reader.Values(tensor.data());
      break;
    default:
      return Wrong(absl::StrCat(path, ".dtype"), "WRONG_DTYPE",
                   absl::StrCat("got ", static_cast<int>(tensor.dtype()),
                                ", want TENSOR_DATA_TYPE_UINT8 or TENSOR_DATA_TYPE_FP32"));
  }
  HYDRA_RETURN_IF_ERROR(At(absl::StrCat(path, ".data"), row.status()));
  return row;
}

}  // namespace

absl::StatusOr<std::vector<float>> ReadInstance(const v1::Instance& instance,
                                                absl::string_view path, const RowReader& reader) {
  switch (instance.input_case()) {
    case v1::Instance::kImage: {
      absl::StatusOr<std::vector<float>> row = reader.Image(instance.image());
      HYDRA_RETURN_IF_ERROR(At(absl::StrCat(path, ".image"), row.status()));
      return row;
    }
    case v1::Instance::kTensor:
      return ReadTensor(instance.tensor(), absl::StrCat(path, ".tensor"), reader);
    case v1::Instance::kText:
      return Wrong(absl::StrCat(path, ".text"), "WRONG_INPUT_KIND",
                   "this model takes images and tensors, not text");
    case v1::Instance::INPUT_NOT_SET:
      break;
  }
  return Wrong(path, "NO_INPUT", "want exactly one of image, text and tensor");
}

}  // namespace hydra::rpc
