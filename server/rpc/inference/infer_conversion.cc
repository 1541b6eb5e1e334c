#include "server/rpc/inference/infer_conversion.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "model/base/status_detail.h"
#include "model/base/status_macros.h"
#include "server/policy/policy.h"
#include "server/rpc/inference/infer_inputs.h"
#include "server/rpc/wire/request_check.h"

namespace hydra::rpc {
namespace {

constexpr char kPlatform[] = "hydra";

absl::StatusOr<std::vector<InferOutput>> ChooseOutputs(const inference::ModelInferRequest& request,
                                                       const policy::ServedBundle& bundle) {
  const std::vector<InferOutput> all = OutputsOf(bundle);
  if (request.outputs_size() == 0) return all;
  std::vector<InferOutput> chosen;
  std::set<std::string> seen;
  for (int i = 0; i < request.outputs_size(); ++i) {
    const std::string& name = request.outputs(i).name();
    const std::string path = absl::StrCat("outputs[", i, "].name");
    if (!seen.insert(name).second) {
      return WrongField(path, "DUPLICATE_TENSOR", absl::StrCat("\"", name, "\" is asked twice"));
    }
    const auto found = std::find_if(
        all.begin(), all.end(), [&name](const InferOutput& output) { return output.name == name; });
    if (found == all.end()) {
      return WrongField(path, "UNKNOWN_TENSOR",
                        absl::StrCat("got \"", name, "\", which this model does not have"));
    }
    chosen.push_back(*found);
  }
  return chosen;
}

void DescribeTensor(absl::string_view name, absl::string_view datatype,
                    const std::vector<int64_t>& row_shape,
                    inference::ModelMetadataResponse::TensorMetadata& out) {
  out.set_name(std::string(name));
  out.set_datatype(std::string(datatype));
  out.add_shape(-1);
  for (const int64_t dimension : row_shape) out.add_shape(dimension);
}

}  // namespace

absl::Status CheckModel(absl::string_view name, absl::string_view version,
                        const policy::ServedBundle& bundle) {
  if (name == bundle.manifest.name && (version.empty() || version == bundle.digest)) {
    return absl::OkStatus();
  }
  return base::WithReason(
      absl::NotFoundError(absl::StrCat("model: got \"", name, "\" version \"", version,
                                       "\", this server has \"", bundle.manifest.name,
                                       "\" version \"", bundle.digest, "\"")),
      "MODEL_NOT_FOUND");
}

absl::StatusOr<InferPlan> PlanInfer(const inference::ModelInferRequest& request,
                                    std::shared_ptr<const policy::Snapshot> snapshot,
                                    const RequestLimits& limits) {
  const policy::ServedBundle& bundle = *snapshot->bundle;
  HYDRA_RETURN_IF_ERROR(CheckModel(request.model_name(), request.model_version(), bundle));
  HYDRA_RETURN_IF_ERROR(CheckRequestId(request.id(), "id"));
  InferPlan plan;
  plan.request_id = request.id();
  HYDRA_ASSIGN_OR_RETURN(plan.outputs, ChooseOutputs(request, bundle));
  HYDRA_ASSIGN_OR_RETURN(plan.inputs,
                         ReadInferInputs(request, RowReader(bundle, limits), limits.max_instances));
  plan.snapshot = std::move(snapshot);
  return plan;
}

inference::ModelInferResponse MakeInferResponse(const InferPlan& plan,
                                                absl::Span<const AnsweredRow> rows) {
  const policy::Snapshot& snapshot = *plan.snapshot;
  inference::ModelInferResponse response;
  response.set_model_name(snapshot.bundle->manifest.name);
  response.set_model_version(snapshot.bundle->digest);
  response.set_id(plan.request_id);
  auto& parameters = *response.mutable_parameters();
  parameters["policy_revision"].set_uint64_param(snapshot.policy.revision);
  parameters["certificate_state"].set_string_param(
      policy::ToString(snapshot.policy.certificate.state));
  for (const InferOutput& output : plan.outputs) {
    auto& tensor = *response.add_outputs();
    tensor.set_name(output.name);
    tensor.set_datatype(output.datatype);
    tensor.add_shape(static_cast<int64_t>(rows.size()));
    for (const int64_t dimension : output.row_shape) tensor.add_shape(dimension);
    std::string& raw = *response.add_raw_output_contents();
    for (const AnsweredRow& row : rows) output.append(row, snapshot, raw);
  }
  return response;
}

inference::ModelMetadataResponse MakeModelMetadata(const policy::ServedBundle& bundle) {
  inference::ModelMetadataResponse response;
  response.set_name(bundle.manifest.name);
  response.add_versions(bundle.digest);
  response.set_platform(kPlatform);
  for (const InferInput& input : InputsOf(RowReader(bundle, {}))) {
    DescribeTensor(input.name, input.datatype, input.row_shape, *response.add_inputs());
  }
  for (const InferOutput& output : OutputsOf(bundle)) {
    DescribeTensor(output.name, output.datatype, output.row_shape, *response.add_outputs());
  }
  return response;
}

}  // namespace hydra::rpc
