#include "server/rpc/predict/predict_conversion.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "model/base/status_detail.h"
#include "model/base/status_macros.h"
#include "server/policy/judge.h"
#include "server/rpc/predict/instance_conversion.h"
#include "server/rpc/predict/prediction_conversion.h"
#include "server/rpc/wire/enum_conversion.h"
#include "server/rpc/wire/request_check.h"
#include "server/rpc/wire/status_conversion.h"

namespace hydra::rpc {
namespace {

absl::Status CheckInstanceCount(int count, size_t limit) {
  if (count >= 1 && static_cast<size_t>(count) <= limit) return absl::OkStatus();
  return base::WithMetadata(WrongField("instances", count == 0 ? "EMPTY_BATCH" : "BATCH_TOO_LARGE",
                                       absl::StrCat("got ", count, ", want 1..", limit)),
                            "max_instances", absl::StrCat(limit));
}

absl::Status ReadOptions(const v1::PredictOptions& options, const policy::ServedBundle& bundle,
                         PredictPlan& plan) {
  const size_t classes = bundle.manifest.geometry.classes;
  plan.top_k = std::clamp<size_t>(options.top_k(), 1, classes);
  plan.withhold_on_abstain = options.withhold_on_abstain();
  plan.return_members = options.return_members();
  plan.return_timings = options.return_timings();
  std::optional<double> alpha;
  if (options.conformal_alpha() != 0.0) alpha = options.conformal_alpha();
  plan.quantile = policy::FindQuantile(bundle.calibration, alpha);
  if (!alpha || plan.quantile) return absl::OkStatus();
  return WrongField("options.conformal_alpha", "UNKNOWN_ALPHA",
                    absl::StrCat("got ", *alpha, ", which the bundle was not calibrated for"));
}

// Reads every instance, so that one refusal names all that is wrong.
void ReadInstances(const v1::PredictRequest& request, const RowReader& reader, PredictPlan& plan) {
  for (int i = 0; i < request.instances_size(); ++i) {
    const absl::StatusOr<InputRow> row =
        ReadInstance(request.instances(i), absl::StrCat("instances[", i, "]"), reader);
    plan.instances.push_back(row.status());
    if (row.ok()) plan.inputs.Add(*row);
  }
}

// OK when the request can be answered in spite of its failed instances.
absl::Status JudgeInstances(const std::vector<absl::Status>& instances, size_t usable,
                            bool allow_partial) {
  if (usable == instances.size() || (allow_partial && usable > 0)) return absl::OkStatus();
  const auto first = std::find_if(instances.begin(), instances.end(),
                                  [](const absl::Status& status) { return !status.ok(); });
  std::vector<base::FieldViolation> violations;
  for (const absl::Status& status : instances) {
    for (base::FieldViolation& violation : base::FieldViolationsOf(status)) {
      violations.push_back(std::move(violation));
    }
  }
  const size_t others = instances.size() - usable - 1;
  const std::string more = others > 0 ? absl::StrCat(" (and ", others, " more)") : "";
  return base::WithFieldViolations(
      base::WithReason(absl::InvalidArgumentError(absl::StrCat(first->message(), more)),
                       base::ReasonOf(*first)),
      violations);
}

}  // namespace

absl::StatusOr<PredictPlan> PlanPredict(const v1::PredictRequest& request,
                                        std::shared_ptr<const policy::Snapshot> snapshot,
                                        const RequestLimits& limits) {
  HYDRA_RETURN_IF_ERROR(CheckInstanceCount(request.instances_size(), limits.max_instances));
  HYDRA_RETURN_IF_ERROR(CheckRequestId(request.request_id(), "request_id"));
  PredictPlan plan;
  plan.request_id = request.request_id();
  HYDRA_RETURN_IF_ERROR(ReadOptions(request.options(), *snapshot->bundle, plan));
  ReadInstances(request, RowReader(*snapshot->bundle, limits), plan);
  HYDRA_RETURN_IF_ERROR(
      JudgeInstances(plan.instances, plan.inputs.count, request.options().allow_partial()));
  plan.snapshot = std::move(snapshot);
  return plan;
}

v1::PredictResponse MakePredictResponse(const PredictPlan& plan, absl::Span<const AnsweredRow> rows,
                                        const CallTimings& timings) {
  v1::PredictResponse response;
  size_t row = 0;
  for (const absl::Status& status : plan.instances) {
    if (status.ok()) {
      *response.add_predictions() = MakePrediction(rows[row++], plan);
    } else {
      *response.add_predictions()->mutable_status() = ToRpcStatus(status);
    }
  }
  const policy::Snapshot& snapshot = *plan.snapshot;
  response.mutable_model()->set_name(snapshot.bundle->manifest.name);
  response.mutable_model()->set_bundle_digest(snapshot.bundle->digest);
  response.mutable_policy()->set_revision(snapshot.policy.revision);
  response.mutable_policy()->set_certificate_state(ToProto(snapshot.policy.certificate.state));
  if (plan.return_timings) *response.mutable_timings() = MakeTimings(timings);
  response.set_members_used(static_cast<uint32_t>(snapshot.bundle->manifest.members));
  response.set_request_id(plan.request_id);
  return response;
}

}  // namespace hydra::rpc
