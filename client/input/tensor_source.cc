#include "client/input/tensor_source.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "model/base/file.h"
#include "model/base/status_macros.h"
#include "model/data/idx.h"

namespace hydra::input {
namespace {

constexpr int64_t kMaxSize = 1 << 20;

// Bytes of one input.
absl::StatusOr<size_t> RowBytes(const RawTensorOptions& options) {
  size_t bytes = options.dtype == v1::TENSOR_DATA_TYPE_FP32 ? sizeof(float) : 1;
  for (const int64_t size : options.shape) {
    if (size < 1 || size > kMaxSize) {
      return absl::InvalidArgumentError(absl::StrCat(
          "shape: got ", absl::StrJoin(options.shape, ","), ", want sizes 1..", kMaxSize));
    }
    bytes *= static_cast<size_t>(size);
    if (bytes > kMaxTensorBytes) {
      return absl::InvalidArgumentError(absl::StrCat("shape: got ",
                                                     absl::StrJoin(options.shape, ","),
                                                     ", want at most ", kMaxTensorBytes, " bytes"));
    }
  }
  if (options.shape.empty()) {
    return absl::InvalidArgumentError("shape: got nothing, want sizes such as 1,28,28");
  }
  return bytes;
}

}  // namespace

absl::StatusOr<std::unique_ptr<TensorSource>> TensorSource::OpenRaw(
    const RawTensorOptions& options) {
  auto source = std::unique_ptr<TensorSource>(new TensorSource());
  HYDRA_ASSIGN_OR_RETURN(source->row_bytes_, RowBytes(options));
  HYDRA_ASSIGN_OR_RETURN(source->bytes_, base::ReadFile(options.path, kMaxTensorBytes));
  if (source->bytes_.empty() || source->bytes_.size() % source->row_bytes_ != 0) {
    return absl::InvalidArgumentError(absl::StrCat(options.path, ": got ", source->bytes_.size(),
                                                   " bytes, want a multiple of ",
                                                   source->row_bytes_, ", the size of one input"));
  }
  source->path_ = options.path;
  source->rows_ = source->bytes_.size() / source->row_bytes_;
  source->form_.set_dtype(options.dtype);
  source->form_.mutable_shape()->Add(options.shape.begin(), options.shape.end());
  return source;
}

absl::StatusOr<std::unique_ptr<TensorSource>> TensorSource::OpenIdx(const IdxOptions& options) {
  HYDRA_ASSIGN_OR_RETURN(const data::IdxImages images, data::ReadIdxImages(options.images));
  auto source = std::unique_ptr<TensorSource>(new TensorSource());
  if (options.labels.has_value()) {
    HYDRA_ASSIGN_OR_RETURN(source->labels_, data::ReadIdxLabels(*options.labels));
    if (source->labels_.size() != images.count) {
      return absl::InvalidArgumentError(absl::StrCat(*options.labels, ": got ",
                                                     source->labels_.size(), " labels, want ",
                                                     images.count, ", one for each image"));
    }
  }
  source->path_ = options.images;
  source->rows_ = images.count;
  source->row_bytes_ = images.height * images.width;
  source->bytes_.assign(images.pixels.begin(), images.pixels.end());
  source->form_.set_dtype(v1::TENSOR_DATA_TYPE_UINT8);
  source->form_.add_shape(1);  // one channel
  source->form_.add_shape(static_cast<int64_t>(images.height));
  source->form_.add_shape(static_cast<int64_t>(images.width));
  return source;
}

void TensorSource::Skip(size_t count) { next_ += std::min(count, rows_ - next_); }

absl::StatusOr<std::vector<NamedInput>> TensorSource::Next(size_t count) {
  std::vector<NamedInput> inputs;
  for (; inputs.size() < count && next_ < rows_; ++next_) {
    NamedInput input{.name = absl::StrCat(path_, "[", next_, "]")};
    v1::Tensor& tensor = *input.instance.mutable_tensor();
    tensor = form_;
    tensor.set_data(bytes_.substr(next_ * row_bytes_, row_bytes_));
    if (!labels_.empty()) input.truth = labels_[next_];
    inputs.push_back(std::move(input));
  }
  return inputs;
}

}  // namespace hydra::input
