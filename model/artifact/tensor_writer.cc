#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "model/artifact/codec/json_reader.h"
#include "model/artifact/tensor_file.h"
#include "model/base/status_macros.h"
#include "nlohmann/json.hpp"

namespace hydra::artifact {
namespace {

constexpr size_t kAlignment = 8;  // of the data area, as the reference implementation pads it

template <typename Number>
absl::string_view RawBytes(absl::Span<const Number> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Number)};
}

absl::Status CheckEntry(const std::string& name, const TensorEntry& entry) {
  if (name.empty() || name == "__metadata__") {
    return absl::InvalidArgumentError(absl::StrCat("tensor name \"", name, "\" is reserved"));
  }
  HYDRA_ASSIGN_OR_RETURN(const size_t values, ValueCount(entry.shape));
  if (values * DTypeBytes(entry.dtype) == entry.bytes.size()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, ": got ", entry.bytes.size(),
                                                 " bytes, want ", values, " values of ",
                                                 DTypeBytes(entry.dtype), " bytes"));
}

absl::StatusOr<std::string> EncodeHeader(const std::map<std::string, TensorEntry>& tensors,
                                         const std::map<std::string, std::string>& metadata) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  if (!metadata.empty()) json["__metadata__"] = metadata;
  size_t offset = 0;
  for (const auto& [name, entry] : tensors) {
    HYDRA_RETURN_IF_ERROR(CheckEntry(name, entry));
    json[name] = {{"dtype", std::string(DTypeName(entry.dtype))},
                  {"shape", entry.shape},
                  {"data_offsets", {offset, offset + entry.bytes.size()}}};
    offset += entry.bytes.size();
  }
  HYDRA_ASSIGN_OR_RETURN(std::string header, codec::DumpJson(json, "safetensors header"));
  header.append((kAlignment - header.size() % kAlignment) % kAlignment, ' ');
  return header;
}

}  // namespace

absl::string_view BytesOf(absl::Span<const float> values) { return RawBytes(values); }
absl::string_view BytesOf(absl::Span<const int64_t> values) { return RawBytes(values); }

absl::StatusOr<std::string> EncodeTensors(const std::map<std::string, TensorEntry>& tensors,
                                          const std::map<std::string, std::string>& metadata) {
  HYDRA_ASSIGN_OR_RETURN(const std::string header, EncodeHeader(tensors, metadata));
  size_t data_bytes = 0;
  for (const auto& [name, entry] : tensors) data_bytes += entry.bytes.size();
  std::string file;
  file.reserve(8 + header.size() + data_bytes);
  for (size_t i = 0; i < 8; ++i) file.push_back(static_cast<char>(header.size() >> (8 * i)));
  file += header;
  for (const auto& [name, entry] : tensors) file.append(entry.bytes.data(), entry.bytes.size());
  return file;
}

absl::StatusOr<std::vector<float>> ToFloats(const TensorView& tensor) {
  std::vector<float> floats(tensor.values);
  if (tensor.dtype == DType::kF32) {
    if (!floats.empty()) std::memcpy(floats.data(), tensor.bytes.data(), tensor.bytes.size());
    return floats;
  }
  if (tensor.dtype != DType::kF16 && tensor.dtype != DType::kBF16) {
    return absl::InvalidArgumentError(
        absl::StrCat("got dtype ", DTypeName(tensor.dtype), ", want F32, F16 or BF16"));
  }
  for (size_t i = 0; i < floats.size(); ++i) {
    uint16_t bits = 0;
    std::memcpy(&bits, tensor.bytes.data() + i * sizeof(bits), sizeof(bits));
    floats[i] = tensor.dtype == DType::kF16 ? HalfToFloat(bits) : BFloat16ToFloat(bits);
  }
  return floats;
}

}  // namespace hydra::artifact
