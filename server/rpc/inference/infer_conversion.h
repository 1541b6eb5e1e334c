// Open Inference Protocol messages to domain types and back.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "inference/grpc_service.pb.h"
#include "server/rpc/inference/infer_outputs.h"
#include "server/rpc/predict/plan.h"
#include "server/rpc/predict/row_reader.h"

namespace hydra::rpc {

struct InferPlan : Plan {
  std::vector<InferOutput> outputs;  // as asked for
};

// The bundle's name, and its digest as the version; an empty version means the active one.
// Errors: NOT_FOUND MODEL_NOT_FOUND.
absl::Status CheckModel(absl::string_view name, absl::string_view version,
                        const policy::ServedBundle& bundle);

// Errors: NOT_FOUND another model; INVALID_ARGUMENT as ReadInferInputs, or an output that is
// unknown or asked for twice.
absl::StatusOr<InferPlan> PlanInfer(const inference::ModelInferRequest& request,
                                    std::shared_ptr<const policy::Snapshot> snapshot,
                                    const RequestLimits& limits);

// `rows`: one per row of the plan.
inference::ModelInferResponse MakeInferResponse(const InferPlan& plan,
                                                absl::Span<const AnsweredRow> rows);

inference::ModelMetadataResponse MakeModelMetadata(const policy::ServedBundle& bundle);

}  // namespace hydra::rpc
