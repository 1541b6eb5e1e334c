// One hydra.v1 Instance to one row.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "hydra/v1/prediction.pb.h"
#include "server/rpc/predict/row_reader.h"

namespace hydra::rpc {

// Errors: INVALID_ARGUMENT with a reason and one violation whose path starts with `path`:
// "instances[3].tensor.shape".
absl::StatusOr<InputRow> ReadInstance(const v1::Instance& instance, absl::string_view path,
                                      const RowReader& reader);

}  // namespace hydra::rpc
