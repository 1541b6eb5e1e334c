// The output tensors of the Open Inference Protocol face: one table for metadata and answers.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "server/policy/keeper.h"
#include "server/policy/served_bundle.h"
#include "server/rpc/predict/answering.h"

namespace hydra::rpc {

struct InferOutput {
  std::string name;
  std::string datatype;
  std::vector<int64_t> row_shape;  // dimensions after the batch

  // Appends one row's elements in the protocol's raw form.
  void (*append)(const AnsweredRow& row, const policy::Snapshot& snapshot, std::string& raw);
};

// What the bundle can answer, in a fixed order; without the member comparisons when M = 1.
// A text model also says how many tokens of a text did not fit.
std::vector<InferOutput> OutputsOf(const policy::ServedBundle& bundle);

}  // namespace hydra::rpc
