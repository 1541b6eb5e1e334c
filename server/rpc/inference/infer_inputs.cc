#include "server/rpc/inference/infer_inputs.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "model/base/status_detail.h"
#include "model/base/status_macros.h"
#include "server/rpc/wire/request_check.h"

namespace hydra::rpc {
namespace {

using Tensor = inference::ModelInferRequest::InferInputTensor;
using Contents = inference::InferTensorContents;

constexpr char kImage[] = "image";
constexpr char kPixels[] = "pixels";
constexpr char kValues[] = "values";
constexpr char kText[] = "text";

constexpr const char* kNames[] = {kImage, kPixels, kValues, kText};

bool IsBytes(const InferInput& input) { return input.name == kImage || input.name == kText; }

// The elements of one input as bytes, however they came.
struct Elements {
  std::string path;                // of the field that they came in
  std::string raw;                 // UINT8, FP32
  std::vector<std::string> items;  // BYTES
};

size_t Product(const std::vector<int64_t>& shape) {
  size_t product = 1;
  for (const int64_t dimension : shape) product *= static_cast<size_t>(dimension);
  return product;
}

absl::StatusOr<InferInput> FindInput(const Tensor& tensor, const RowReader& reader) {
  std::vector<std::string> names;
  for (InferInput& input : InputsOf(reader)) {
    if (input.name == tensor.name()) return std::move(input);
    names.push_back(input.name);
  }
  const bool other_kind = std::count(std::begin(kNames), std::end(kNames), tensor.name()) > 0;
  return WrongField(
      "inputs[0].name", other_kind ? "WRONG_INPUT_KIND" : "UNKNOWN_TENSOR",
      absl::StrCat("got \"", tensor.name(), "\", want one of ", absl::StrJoin(names, ", ")));
}

absl::Status CheckOneInput(const inference::ModelInferRequest& request) {
  if (request.inputs_size() == 1) return absl::OkStatus();
  for (int i = 1; i < request.inputs_size(); ++i) {
    if (request.inputs(i).name() == request.inputs(0).name()) {
      return WrongField(absl::StrCat("inputs[", i, "].name"), "DUPLICATE_TENSOR",
                        absl::StrCat("\"", request.inputs(i).name(), "\" is given twice"));
    }
  }
  return WrongField("inputs", "WRONG_INPUT_COUNT",
                    absl::StrCat("got ", request.inputs_size(), " tensors, want one"));
}

// Returns the batch.  A trailing dimension of 1 is accepted for BYTES, as some clients send it.
absl::StatusOr<size_t> CheckShape(const Tensor& tensor, const InferInput& input,
                                  size_t max_instances) {
  std::vector<int64_t> shape(tensor.shape().begin(), tensor.shape().end());
  std::vector<int64_t> wanted = input.row_shape;
  if (wanted.empty() && shape.size() == 2 && shape[1] == 1) shape.pop_back();
  wanted.insert(wanted.begin(), shape.empty() ? -1 : shape.front());
  if (shape != wanted) {
    wanted.front() = -1;
    return WrongField("inputs[0].shape", "WRONG_SHAPE",
                      absl::StrCat("got ", ShapeText(shape), ", want ", ShapeText(wanted),
                                   " with -1 for the batch"));
  }
  if (shape.front() >= 1 && static_cast<uint64_t>(shape.front()) <= max_instances) {
    return static_cast<size_t>(shape.front());
  }
  return base::WithMetadata(
      WrongField("inputs[0].shape", shape.front() < 1 ? "EMPTY_BATCH" : "BATCH_TOO_LARGE",
                 absl::StrCat("got a batch of ", shape.front(), ", want 1..", max_instances)),
      "max_instances", absl::StrCat(max_instances));
}

absl::Status WrongContents(absl::string_view path, absl::string_view problem) {
  return WrongField(path, "WRONG_CONTENTS", problem);
}

// Elements with their length in four bytes before each.
absl::StatusOr<std::vector<std::string>> SplitTexts(absl::string_view raw, size_t count) {
  std::vector<std::string> texts;
  while (!raw.empty()) {
    uint32_t length = 0;
    if (raw.size() < sizeof(length)) break;
    std::memcpy(&length, raw.data(), sizeof(length));
    raw.remove_prefix(sizeof(length));
    if (length > raw.size() || texts.size() == count) break;
    texts.emplace_back(raw.substr(0, length));
    raw.remove_prefix(length);
    if (raw.empty() && texts.size() == count) return texts;
  }
  return WrongContents("raw_input_contents[0]",
                       absl::StrCat("want ", count, " elements, each with its length before it"));
}

absl::StatusOr<Elements> ReadRaw(const std::string& raw, const InferInput& input, size_t batch) {
  Elements elements{.path = "raw_input_contents[0]"};
  if (!IsBytes(input)) {
    elements.raw = raw;
    return elements;
  }
  HYDRA_ASSIGN_OR_RETURN(elements.items, SplitTexts(raw, batch));
  return elements;
}

absl::StatusOr<Elements> ReadTyped(const Contents& contents, const InferInput& input) {
  if (IsBytes(input)) {
    return Elements{.path = "inputs[0].contents.bytes_contents",
                    .items = {contents.bytes_contents().begin(), contents.bytes_contents().end()}};
  }
  if (input.name == kValues) {
    const auto& values = contents.fp32_contents();
    return Elements{.path = "inputs[0].contents.fp32_contents",
                    .raw = std::string(reinterpret_cast<const char*>(values.data()),
                                       static_cast<size_t>(values.size()) * sizeof(float))};
  }
  Elements elements{.path = "inputs[0].contents.uint_contents"};
  elements.raw.reserve(static_cast<size_t>(contents.uint_contents_size()));
  for (const uint32_t value : contents.uint_contents()) {
    if (value > 255)
      return WrongContents(elements.path, absl::StrCat("got ", value, ", want 0..255"));
    elements.raw.push_back(static_cast<char>(value));
  }
  return elements;
}

absl::StatusOr<Elements> ReadElements(const inference::ModelInferRequest& request,
                                      const InferInput& input, size_t batch) {
  const Tensor& tensor = request.inputs(0);
  if (request.raw_input_contents_size() == 0) return ReadTyped(tensor.contents(), input);
  if (tensor.has_contents()) {
    return WrongContents("inputs[0].contents", "want either contents or raw_input_contents");
  }
  if (request.raw_input_contents_size() != 1) {
    return WrongContents(
        "raw_input_contents",
        absl::StrCat("got ", request.raw_input_contents_size(), ", want one for each input"));
  }
  return ReadRaw(request.raw_input_contents(0), input, batch);
}

absl::Status CheckElementCount(const Elements& elements, const InferInput& input, size_t batch) {
  if (IsBytes(input)) {
    if (elements.items.size() == batch) return absl::OkStatus();
    return WrongContents(elements.path,
                         absl::StrCat("got ", elements.items.size(), " elements, want ", batch));
  }
  const size_t element_bytes = input.name == kValues ? sizeof(float) : 1;
  const size_t wanted = batch * Product(input.row_shape) * element_bytes;
  if (elements.raw.size() == wanted) return absl::OkStatus();
  return WrongField(elements.path, "WRONG_BYTE_COUNT",
                    absl::StrCat("got ", elements.raw.size(), " bytes, want ", wanted));
}

absl::StatusOr<InputRow> ReadRow(const Elements& elements, const InferInput& input, size_t row,
                                 size_t batch, const RowReader& reader) {
  if (input.name == kText) return reader.Text(elements.items[row]);
  if (input.name == kImage) return reader.Image(elements.items[row]);
  const size_t row_bytes = elements.raw.size() / batch;
  const absl::string_view bytes =
      absl::string_view(elements.raw).substr(row * row_bytes, row_bytes);
  return input.name == kPixels ? reader.Pixels(bytes) : reader.Values(bytes);
}

}  // namespace

std::vector<InferInput> InputsOf(const RowReader& reader) {
  if (reader.takes_texts()) return {{kText, "BYTES", {}}};
  return {
      {kImage, "BYTES", {}}, {kPixels, "UINT8", reader.shape()}, {kValues, "FP32", reader.shape()}};
}

absl::StatusOr<InputRows> ReadInferInputs(const inference::ModelInferRequest& request,
                                          const RowReader& reader, size_t max_instances) {
  HYDRA_RETURN_IF_ERROR(CheckOneInput(request));
  const Tensor& tensor = request.inputs(0);
  HYDRA_ASSIGN_OR_RETURN(const InferInput input, FindInput(tensor, reader));
  if (tensor.datatype() != input.datatype) {
    return WrongField("inputs[0].datatype", "WRONG_DTYPE",
                      absl::StrCat("got \"", tensor.datatype(), "\", want ", input.datatype));
  }
  HYDRA_ASSIGN_OR_RETURN(const size_t batch, CheckShape(tensor, input, max_instances));
  HYDRA_ASSIGN_OR_RETURN(const Elements elements, ReadElements(request, input, batch));
  HYDRA_RETURN_IF_ERROR(CheckElementCount(elements, input, batch));
  InputRows result;
  for (size_t row = 0; row < batch; ++row) {
    const absl::StatusOr<InputRow> read = ReadRow(elements, input, row, batch, reader);
    if (!read.ok()) {
      return WrongField(absl::StrCat(elements.path, "[", row, "]"), base::ReasonOf(read.status()),
                        read.status().message());
    }
    result.Add(*read);
  }
  return result;
}

}  // namespace hydra::rpc
