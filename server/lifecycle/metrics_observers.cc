#include "server/lifecycle/metrics_observers.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "model/base/status_detail.h"

namespace hydra::lifecycle {
namespace {

using config::LogLevel;

// The caller's own faults and refusals are news for the caller; the rest is for the operator.
LogLevel LevelOf(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kOk:
      return LogLevel::kDebug;
    case absl::StatusCode::kInternal:
    case absl::StatusCode::kUnknown:
    case absl::StatusCode::kDataLoss:
      return LogLevel::kError;
    default:
      return LogLevel::kInfo;
  }
}

}  // namespace

void BatchMetrics::OnDropped(batching::Stage stage, const absl::Status& status) {
  metrics_.CountDrop(batching::ToString(stage), base::ReasonOf(status));
}

void BatchMetrics::OnBatch(const batching::BatchReport& report) {
  metrics_.CountBatch({.rows = report.rows,
                       .padded_rows = report.padded_rows,
                       .tokens = report.tokens,
                       .dispatch_reason = batching::ToString(report.reason),
                       .code = absl::StatusCodeToString(report.status.code()),
                       .queue_waits = report.queue_waits,
                       .compute = report.compute});
  if (report.status.ok()) return;
  logger_.LogRequest(LogLevel::kError, "batch_failed",
                     {{"code", absl::StatusCodeToString(report.status.code())},
                      {"message", std::string(report.status.message())},
                      {"jobs", absl::StrCat(report.jobs)},
                      {"rows", absl::StrCat(report.rows)}});
}

void CallMetrics::OnCall(const rpc::CallReport& report) {
  const std::string code = absl::StatusCodeToString(report.status.code());
  const std::string reason = base::ReasonOf(report.status);
  metrics_.CountRequest(report.method, code, report.duration);
  if (!report.status.ok()) metrics_.CountFailure(report.method, reason);
  if (report.decode.has_value()) metrics_.ObserveDecode(*report.decode);
  logger_.LogRequest(LevelOf(report.status.code()), "call",
                     {{"method", std::string(report.method)},
                      {"request_id", report.request_id},
                      {"code", code},
                      {"reason", reason},
                      {"message", std::string(report.status.message())},
                      {"duration_ms", absl::StrCat(absl::ToDoubleMilliseconds(report.duration))},
                      {"instances", absl::StrCat(report.instances)}});
}

void CallMetrics::OnAnswer(const rpc::AnswerReport& report) {
  const bool abstained = report.decision.outcome == uncertainty::Outcome::kAbstained;
  const std::string reason = report.decision.reason.has_value()
                                 ? std::string(uncertainty::ReasonName(*report.decision.reason))
                                 : "NONE";
  metrics_.CountPrediction(abstained ? "abstained" : "predicted", reason);
  if (report.truncated_tokens > 0) metrics_.CountTruncation(report.truncated_tokens);
  for (const uncertainty::Score score : uncertainty::kAllScores) {
    const std::optional<double> value = uncertainty::ScoreOf(report.answer, score);
    if (value.has_value()) metrics_.ObserveScore(uncertainty::ScoreName(score), *value);
  }
}

void CallMetrics::OnPolicyChange(const policy::Policy& policy) {
  const std::string state = policy::ToString(policy.certificate.state);
  metrics_.SetPolicy(policy.revision, state);
  logger_.Log(LogLevel::kInfo, "policy",
              {{"revision", absl::StrCat(policy.revision)},
               {"certificate", state},
               {"updated_by", policy.updated_by}});
}

}  // namespace hydra::lifecycle
