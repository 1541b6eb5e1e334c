#include "model/builder/packing/bundle_policy.h"

#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "model/uncertainty/certificate.h"
#include "nlohmann/json.hpp"

namespace hydra::builder {
namespace {

constexpr double kDelta = 0.05;

absl::Status CheckRisk(double risk, const artifact::Calibration& calibration) {
  for (const artifact::CertificateTable& table : calibration.certificates) {
    if (table.score != calibration.default_score) continue;
    HYDRA_ASSIGN_OR_RETURN(const uncertainty::CutSearch search,
                           uncertainty::FindCutForRisk(table, risk, kDelta));
    if (search.cut.has_value()) continue;
    return absl::FailedPreconditionError(absl::StrCat(
        "policy_risk: got ", risk, " on ", table.score, " in ", table.dtype, ": ",
        search.explanation,
        search.rows_needed ? absl::StrCat("; certify needs ", *search.rows_needed, " rows") : ""));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::optional<std::string>> PolicyJson(const PackStepOptions& options,
                                                      const artifact::Calibration& calibration) {
  nlohmann::ordered_json intent;
  if (options.policy_risk > 0.0) {
    HYDRA_RETURN_IF_ERROR(CheckRisk(options.policy_risk, calibration));
    intent = {{"kind", "target_risk"}, {"risk", options.policy_risk}, {"delta", kDelta}};
  } else if (options.policy_coverage > 0.0) {
    intent = {{"kind", "target_coverage"}, {"coverage", options.policy_coverage}};
  } else {
    return std::nullopt;
  }
  const nlohmann::ordered_json json = {{"format_version", 1}, {"intent", intent}};
  return json.dump(2) + "\n";
}

}  // namespace hydra::builder
