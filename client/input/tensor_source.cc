#include "client/input/tensor_source.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/input/idx.h"
#include "model/base/file.h"
#include "model/base/status_macros.h"

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

absl::StatusOr<std::string> ReadIdxLabels(const std::string& path, size_t images) {
  HYDRA_ASSIGN_OR_RETURN(std::string bytes, ReadMaybeGzip(path, kMaxTensorBytes));
  HYDRA_ASSIGN_OR_RETURN(const IdxHeader header, ParseIdx(bytes, path));
  if (header.sizes.size() != 1 || header.sizes[0] != images) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": got sizes ",
                                                   absl::StrJoin(header.sizes, "x"), ", want ",
                                                   images, " labels, one for each image"));
  }
  return bytes.substr(header.header_bytes);
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
  auto source = std::unique_ptr<TensorSource>(new TensorSource());
  HYDRA_ASSIGN_OR_RETURN(source->bytes_, ReadMaybeGzip(options.images, kMaxTensorBytes));
  HYDRA_ASSIGN_OR_RETURN(const IdxHeader header, ParseIdx(source->bytes_, options.images));
  if (header.sizes.size() < 3) {
    return absl::InvalidArgumentError(absl::StrCat(options.images, ": got rank ",
                                                   header.sizes.size(),
                                                   ", want images [N, H, W] or [N, C, H, W]"));
  }
  source->path_ = options.images;
  source->rows_ = header.sizes[0];
  source->header_bytes_ = header.header_bytes;
  source->row_bytes_ = (source->bytes_.size() - header.header_bytes) / source->rows_;
  source->form_.set_dtype(v1::TENSOR_DATA_TYPE_UINT8);
  if (header.sizes.size() == 3) source->form_.add_shape(1);  // one channel
  for (size_t i = 1; i < header.sizes.size(); ++i) source->form_.add_shape(header.sizes[i]);
  if (options.labels.has_value()) {
    HYDRA_ASSIGN_OR_RETURN(source->labels_, ReadIdxLabels(*options.labels, source->rows_));
  }
  return source;
}

void TensorSource::Skip(size_t count) { next_ += std::min(count, rows_ - next_); }

absl::StatusOr<std::vector<NamedInput>> TensorSource::Next(size_t count) {
  std::vector<NamedInput> inputs;
  for (; inputs.size() < count && next_ < rows_; ++next_) {
    NamedInput input{.name = absl::StrCat(path_, "[", next_, "]")};
    v1::Tensor& tensor = *input.instance.mutable_tensor();
    tensor = form_;
    tensor.set_data(bytes_.substr(header_bytes_ + next_ * row_bytes_, row_bytes_));
    if (!labels_.empty()) input.truth = static_cast<uint8_t>(labels_[next_]);
    inputs.push_back(std::move(input));
  }
  return inputs;
}

}  // namespace hydra::input
