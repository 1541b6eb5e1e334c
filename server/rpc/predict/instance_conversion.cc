#include "server/rpc/predict/instance_conversion.h"

#include <string>
#include <vector>

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

// `row` was read from the field at `path`.
absl::StatusOr<InputRow> ReadFrom(const std::string& path, absl::StatusOr<InputRow> row) {
  HYDRA_RETURN_IF_ERROR(At(path, row.status()));
  return row;
}

absl::StatusOr<InputRow> ReadTensor(const v1::Tensor& tensor, absl::string_view path,
                                    const RowReader& reader) {
  const std::vector<int64_t> shape(tensor.shape().begin(), tensor.shape().end());
  if (reader.takes_texts()) HYDRA_RETURN_IF_ERROR(At(path, reader.CheckShape(shape)));
  HYDRA_RETURN_IF_ERROR(At(absl::StrCat(path, ".shape"), reader.CheckShape(shape)));
  const std::string data_path = absl::StrCat(path, ".data");
  switch (tensor.dtype()) {
    case v1::TENSOR_DATA_TYPE_UINT8:
      return ReadFrom(data_path, reader.Pixels(tensor.data()));
    case v1::TENSOR_DATA_TYPE_FP32:
      return ReadFrom(data_path, reader.Values(tensor.data()));
    default:
      return Wrong(absl::StrCat(path, ".dtype"), "WRONG_DTYPE",
                   absl::StrCat("got ", static_cast<int>(tensor.dtype()),
                                ", want TENSOR_DATA_TYPE_UINT8 or TENSOR_DATA_TYPE_FP32"));
  }
}

}  // namespace

absl::StatusOr<InputRow> ReadInstance(const v1::Instance& instance, absl::string_view path,
                                      const RowReader& reader) {
  switch (instance.input_case()) {
    case v1::Instance::kImage:
      return ReadFrom(absl::StrCat(path, ".image"), reader.Image(instance.image()));
    case v1::Instance::kTensor:
      return ReadTensor(instance.tensor(), absl::StrCat(path, ".tensor"), reader);
    case v1::Instance::kText:
      return ReadFrom(absl::StrCat(path, ".text"), reader.Text(instance.text()));
    case v1::Instance::INPUT_NOT_SET:
      break;
  }
  return Wrong(path, "NO_INPUT", "want exactly one of image, text and tensor");
}

}  // namespace hydra::rpc
