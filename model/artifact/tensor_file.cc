#include "model/artifact/tensor_file.h"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "model/artifact/codec/json_reader.h"
#include "model/artifact/dtype.h"
#include "model/base/file.h"
#include "model/base/status_macros.h"

namespace hydra::artifact {
namespace {

constexpr size_t kLengthBytes = 8;
constexpr size_t kMaxHeaderBytes = 16 << 20;
constexpr size_t kMaxTensors = 100000;
constexpr size_t kMaxRank = 16;
constexpr char kMetadataKey[] = "__metadata__";

uint64_t ReadLittleEndian(absl::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < kLengthBytes; ++i) {
    value |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return value;
}

struct Placed {
  size_t begin = 0;
  size_t end = 0;
  std::string name;
  TensorView view;
};

Placed ReadTensor(const std::string& name, const codec::JsonNode& node, size_t data_bytes) {
  codec::JsonObject object(node);
  Placed placed;
  placed.name = name;
  const codec::JsonNode dtype = object["dtype"];
  const std::string dtype_name = dtype.Text(16);
  const auto parsed = ParseDType(dtype_name);
  if (!parsed.ok()) dtype.Fail(parsed.status().message());
  placed.view.dtype = parsed.value_or(DType::kU8);
  const codec::JsonNode shape = object["shape"];
  placed.view.shape = shape.Counts({0, kMaxRank}, {0, size_t{1} << 48});
  const codec::JsonNode offsets = object["data_offsets"];
  const std::vector<size_t> range = offsets.Counts({2, 2}, {0, data_bytes});
  if (range.size() != 2) return placed;
  placed.begin = range[0];
  placed.end = range[1];
  const auto values = ValueCount(placed.view.shape);
  const size_t value_bytes = DTypeBytes(placed.view.dtype);
  if (placed.end < placed.begin) {
    offsets.Fail(absl::StrCat("got an end ", placed.end, " before the begin ", placed.begin));
  } else if (!values.ok()) {
    shape.Fail(values.status().message());
  } else if (*values > data_bytes || *values * value_bytes != placed.end - placed.begin) {
    offsets.Fail(absl::StrCat("got ", placed.end - placed.begin, " bytes, want ", *values,
                              " values of ", value_bytes, " bytes"));
  }
  placed.view.values = values.value_or(0);
  return placed;
}

// The data area must be covered exactly once: no overlap, no gap, nothing behind.
absl::Status CheckCover(std::vector<Placed>& tensors, size_t data_bytes, const std::string& file) {
  std::sort(tensors.begin(), tensors.end(), [](const Placed& a, const Placed& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  size_t covered = 0;
  for (const Placed& tensor : tensors) {
    if (tensor.begin != covered) {
      return absl::InvalidArgumentError(
          absl::StrCat(file, ": ", tensor.name, ".data_offsets: begins at ", tensor.begin,
                       tensor.begin < covered ? ", overlapping" : ", after a gap behind",
                       " the tensor that ends at ", covered));
    }
    covered = tensor.end;
  }
  if (covered == data_bytes) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      file, ": got ", data_bytes, " bytes of tensors, want ", covered, " as in its header"));
}

std::string ShapeText(absl::Span<const size_t> shape) {
  return absl::StrCat("[", absl::StrJoin(shape, ", "), "]");
}

absl::Status CheckShape(const std::string& file, const std::string& name, const TensorView& tensor,
                        absl::Span<const size_t> wanted) {
  if (absl::MakeConstSpan(tensor.shape) == wanted) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      file, ": ", name, ": got shape ", ShapeText(tensor.shape), ", want ", ShapeText(wanted)));
}

}  // namespace

absl::StatusOr<TensorFile> TensorFile::Parse(std::string bytes, std::string file) {
  TensorFile result;
  result.file_ = std::move(file);
  result.bytes_ = std::make_unique<const std::string>(std::move(bytes));
  const absl::string_view all = *result.bytes_;
  const uint64_t header_bytes = all.size() < kLengthBytes ? 0 : ReadLittleEndian(all);
  if (header_bytes < 2 || header_bytes > kMaxHeaderBytes ||
      header_bytes > all.size() - kLengthBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(result.file_, ": header length: got ", header_bytes, " in a file of ",
                     all.size(), " bytes, want 2..", kMaxHeaderBytes, " and inside the file"));
  }
  const absl::string_view data = all.substr(kLengthBytes + header_bytes);
  HYDRA_ASSIGN_OR_RETURN(
      codec::JsonDocument header,
      codec::JsonDocument::Parse(all.substr(kLengthBytes, header_bytes), result.file_));
  std::vector<Placed> tensors;
  for (const auto& [name, node] : header.root().Members({0, kMaxTensors})) {
    if (name == kMetadataKey) {
      result.metadata_ = node.TextMap();
    } else {
      tensors.push_back(ReadTensor(name, node, data.size()));
    }
  }
  HYDRA_RETURN_IF_ERROR(header.Finish());
  HYDRA_RETURN_IF_ERROR(CheckCover(tensors, data.size(), result.file_));
  for (Placed& tensor : tensors) {
    tensor.view.bytes = data.substr(tensor.begin, tensor.end - tensor.begin);
    result.tensors_.emplace(std::move(tensor.name), std::move(tensor.view));
  }
  return result;
}

absl::StatusOr<TensorFile> TensorFile::Open(const std::string& path, size_t max_bytes) {
  HYDRA_ASSIGN_OR_RETURN(std::string bytes, base::ReadFile(path, max_bytes));
  return Parse(std::move(bytes), path);
}

absl::StatusOr<TensorView> TensorFile::Find(const std::string& name) const {
  const auto found = tensors_.find(name);
  if (found != tensors_.end()) return found->second;
  return absl::NotFoundError(absl::StrCat(file_, ": ", name, ": missing tensor"));
}

absl::StatusOr<std::vector<float>> TensorFile::Floats(const std::string& name,
                                                      absl::Span<const size_t> shape) const {
  HYDRA_ASSIGN_OR_RETURN(const TensorView tensor, Find(name));
  HYDRA_RETURN_IF_ERROR(CheckShape(file_, name, tensor, shape));
  auto floats = ToFloats(tensor);
  if (floats.ok()) return floats;
  return absl::InvalidArgumentError(
      absl::StrCat(file_, ": ", name, ": ", floats.status().message()));
}

absl::StatusOr<std::vector<int64_t>> TensorFile::Integers(const std::string& name,
                                                          absl::Span<const size_t> shape) const {
  HYDRA_ASSIGN_OR_RETURN(const TensorView tensor, Find(name));
  HYDRA_RETURN_IF_ERROR(CheckShape(file_, name, tensor, shape));
  std::vector<int64_t> integers(tensor.values);
  if (tensor.dtype == DType::kI64) {
    if (!integers.empty()) std::memcpy(integers.data(), tensor.bytes.data(), tensor.bytes.size());
    return integers;
  }
  if (tensor.dtype != DType::kI32) {
    return absl::InvalidArgumentError(absl::StrCat(file_, ": ", name, ": got dtype ",
                                                   DTypeName(tensor.dtype), ", want I64 or I32"));
  }
  for (size_t i = 0; i < integers.size(); ++i) {
    int32_t value = 0;
    std::memcpy(&value, tensor.bytes.data() + i * sizeof(value), sizeof(value));
    integers[i] = value;
  }
  return integers;
}

}  // namespace hydra::artifact
