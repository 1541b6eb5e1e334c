// The input tensors of the Open Inference Protocol face.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "inference/grpc_service.pb.h"
#include "server/rpc/predict/row_reader.h"

namespace hydra::rpc {

struct InferInput {
  std::string name;
  std::string datatype;
  std::vector<int64_t> row_shape;  // dimensions after the batch
};

// Of an image model "image" (BYTES: encoded JPEG or PNG), "pixels" (UINT8: raw, still to be
// normalised) and "values" (FP32: normalised), of which a request gives one.  Of a text model
// "text" (BYTES: UTF-8), of shape [n] or [n, 1].
std::vector<InferInput> InputsOf(const RowReader& reader);

// Errors: INVALID_ARGUMENT with a violation such as "inputs[0].shape" or "raw_input_contents[0]":
// not exactly one input, an unknown name, an input of the other kind of model, a wrong type or
// shape, an empty batch or one over the limit, contents that are given twice, missing or of the
// wrong size, or a bad element.
absl::StatusOr<InputRows> ReadInferInputs(const inference::ModelInferRequest& request,
                                          const RowReader& reader, size_t max_instances);

}  // namespace hydra::rpc
