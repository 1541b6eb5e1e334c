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

// "image" (BYTES: encoded JPEG or PNG), "pixels" (UINT8: raw, still to be normalised) and "values"
// (FP32: normalised).  A request gives one of them.
std::vector<InferInput> InputsOf(const RowReader& reader);

struct InferRows {
  std::vector<float> rows;
  size_t row_count = 0;
};

// Errors: INVALID_ARGUMENT with a violation such as "inputs[0].shape" or "raw_input_contents[0]":
// not exactly one input, an unknown name, a wrong type or shape, an empty batch or one over the
// limit, contents that are given twice, missing or of the wrong size, or a bad element.
absl::StatusOr<InferRows> ReadInferInputs(const inference::ModelInferRequest& request,
                                          const RowReader& reader, size_t max_instances);

}  // namespace hydra::rpc
