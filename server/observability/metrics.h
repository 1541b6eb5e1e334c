// Every metric of the server; docs/metrics.md lists them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "prometheus/counter.h"
#include "prometheus/gauge.h"
#include "prometheus/histogram.h"
#include "prometheus/registry.h"
#include "server/observability/bounded_family.h"
#include "server/observability/levels.h"

namespace hydra::observability {

struct BundleFacts {
  std::string name;
  std::string digest;
  std::string weights_digest;
  std::string dtype;  // numerics that run
  size_t members = 0;
  std::map<std::string, std::vector<double>> score_edges;  // by score name, any order
};

struct BatchFacts {
  size_t rows = 0;
  size_t padded_rows = 0;
  size_t tokens = 0;  // of texts
  std::string dispatch_reason;
  std::string code;  // of the forward pass: "OK", "INTERNAL", ...
  std::vector<absl::Duration> queue_waits;
  absl::Duration compute;
};

// Label values are of fixed sets; a set that grows too large is folded (BoundedFamily).
// Thread-safe.
class Metrics {
 public:
  // `version`: of this program.
  explicit Metrics(const std::string& version);

  // Once, before the first answer.
  void SetBundle(const BundleFacts& bundle);

  void CountRequest(absl::string_view method, absl::string_view code, absl::Duration duration);
  // `reason`: UPPER_SNAKE of the error's details; empty counts as "UNSPECIFIED".
  void CountFailure(absl::string_view method, absl::string_view reason);
  void ObserveDecode(absl::Duration duration);
  void CountBatch(const BatchFacts& batch);
  void CountDrop(absl::string_view stage, absl::string_view reason);
  // `outcome`: "predicted" or "abstained"; `reason`: of the abstention, else "NONE".
  void CountPrediction(absl::string_view outcome, absl::string_view reason);
  // Of one answered text.
  void CountTruncation(size_t truncated_tokens);
  // Scores without edges in the bundle are not recorded.
  void ObserveScore(absl::string_view score, double value);
  // `state`: "VALID", "VOID" or "STALE".
  void SetPolicy(uint64_t revision, absl::string_view state);

  // The text format of Prometheus, version 0.0.4.
  std::string Scrape(const Levels& levels);

  const prometheus::Registry& registry() const { return registry_; }

 private:
  prometheus::Counter& AddCounter(const std::string& name, const std::string& help);
  prometheus::Gauge& AddGauge(const std::string& name, const std::string& help);
  BoundedFamily<prometheus::Counter> CounterFamily(const std::string& name, const std::string& help,
                                                   std::vector<std::string> labels);
  BoundedFamily<prometheus::Histogram> HistogramFamily(const std::string& name,
                                                       const std::string& help,
                                                       std::vector<std::string> labels,
                                                       absl::Span<const double> buckets);
  void AddPredictionSeries();

  prometheus::Registry registry_;
  BoundedFamily<prometheus::Counter> requests_;
  BoundedFamily<prometheus::Counter> failures_;
  BoundedFamily<prometheus::Histogram> request_duration_;
  BoundedFamily<prometheus::Counter> drops_;
  BoundedFamily<prometheus::Counter> batches_;
  BoundedFamily<prometheus::Counter> predictions_;
  prometheus::Histogram& decode_duration_;
  prometheus::Histogram& queue_duration_;
  prometheus::Histogram& compute_duration_;
  prometheus::Histogram& batch_rows_;
  prometheus::Counter& rows_;
  prometheus::Counter& padding_rows_;
  prometheus::Counter& tokens_;
  prometheus::Counter& truncated_texts_;
  prometheus::Counter& truncated_tokens_;
  base::Mutex scores_mutex_;
  std::map<std::string, prometheus::Histogram*> scores_ ABSL_GUARDED_BY(scores_mutex_);
  std::map<std::string, prometheus::Gauge*> certificate_states_;
  prometheus::Gauge& policy_revision_;
  LevelGauges levels_;
};

}  // namespace hydra::observability
