// What the batcher and the RPC layer report, as metrics and log lines.
#pragma once

#include "server/batching/observer.h"
#include "server/observability/logger.h"
#include "server/observability/metrics.h"
#include "server/rpc/wire/observer.h"

namespace hydra::lifecycle {

// Both are thread-safe; `metrics` and `logger` outlive them.
class BatchMetrics final : public batching::Observer {
 public:
  BatchMetrics(observability::Metrics& metrics, observability::Logger& logger)
      : metrics_(metrics), logger_(logger) {}

  void OnDropped(batching::Stage stage, const absl::Status& status) override;
  void OnBatch(const batching::BatchReport& report) override;

 private:
  observability::Metrics& metrics_;
  observability::Logger& logger_;
};

class CallMetrics final : public rpc::Observer {
 public:
  CallMetrics(observability::Metrics& metrics, observability::Logger& logger)
      : metrics_(metrics), logger_(logger) {}

  void OnCall(const rpc::CallReport& report) override;
  void OnAnswer(const rpc::AnswerReport& report) override;
  void OnPolicyChange(const policy::Policy& policy) override;

 private:
  observability::Metrics& metrics_;
  observability::Logger& logger_;
};

}  // namespace hydra::lifecycle
