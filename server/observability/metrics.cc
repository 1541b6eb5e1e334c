#include "server/observability/metrics.h"

#include <algorithm>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "model/uncertainty/scores.h"
#include "prometheus/text_serializer.h"

namespace hydra::observability {
namespace {

constexpr size_t kMostSeries = 256;

// From 0.1 ms, below which gRPC itself lies, to 10 s; the same for all durations, so that they can
// be laid over each other and summed over replicas.
constexpr double kSeconds[] = {1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 0.01, 0.025,
                               0.05, 0.1,    0.25, 0.5,  1.0,    2.5,  5.0,  10.0};
constexpr double kRows[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};

std::vector<double> Ascending(std::vector<double> edges) {
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

}  // namespace

Metrics::Metrics(const std::string& version)
    : requests_(CounterFamily("hydra_requests_total", "Finished calls.", {"method", "code"})),
      failures_(CounterFamily("hydra_request_failures_total",
                              "Calls that did not end with OK, by the reason in their details.",
                              {"method", "reason"})),
      request_duration_(HistogramFamily("hydra_request_duration_seconds",
                                        "From the parsed request to the answer.", {"method"},
                                        kSeconds)),
      drops_(
          CounterFamily("hydra_jobs_dropped_total",
                        "Jobs that were refused, expired or cancelled before their forward pass, "
                        "by the stage where that was seen.",
                        {"stage", "reason"})),
      batches_(CounterFamily("hydra_batches_total",
                             "Forward passes, by why the batch left the queue and how it ended.",
                             {"dispatch_reason", "code"})),
      predictions_(CounterFamily("hydra_predictions_total",
                                 "Answered instances; an abstention is an answer.",
                                 {"outcome", "reason"})),
      decode_duration_(HistogramFamily("hydra_decode_duration_seconds",
                                       "From the parsed request until its inputs are model inputs.",
                                       {}, kSeconds)
                           .Get({})),
      queue_duration_(HistogramFamily("hydra_queue_duration_seconds",
                                      "From a job's admission until it is taken into a batch.", {},
                                      kSeconds)
                          .Get({})),
      compute_duration_(HistogramFamily("hydra_compute_duration_seconds",
                                        "One merged forward pass over a batch.", {}, kSeconds)
                            .Get({})),
      batch_rows_(
          HistogramFamily("hydra_batch_rows", "Rows in one batch, without padding.", {}, kRows)
              .Get({})),
      rows_(AddCounter("hydra_rows_total", "Rows that were computed, without padding.")),
      padding_rows_(AddCounter("hydra_padding_rows_total",
                               "Rows that were computed only to fill a batch up to its size.")),
      tokens_(AddCounter("hydra_tokens_total", "Tokens of texts that were computed.")),
      truncated_texts_(AddCounter("hydra_truncated_texts_total",
                                  "Answered texts that were too long and lost their end.")),
      truncated_tokens_(
          AddCounter("hydra_truncated_tokens_total", "Tokens that answered texts lost.")),
      policy_revision_(AddGauge("hydra_policy_revision", "Revision of the active policy.")),
      levels_(registry_) {
  auto& states = prometheus::BuildGauge()
                     .Name("hydra_certificate_state")
                     .Help("1 for the state of the active policy's certificate, else 0.")
                     .Register(registry_);
  for (const char* state : {"VALID", "VOID", "STALE"}) {
    certificate_states_[state] = &states.Add({{"state", state}});
  }
  prometheus::BuildGauge()
      .Name("hydra_build_info")
      .Help("Always 1; the labels say which program runs.")
      .Register(registry_)
      .Add({{"version", version}})
      .Set(1);
  AddPredictionSeries();
}

// At 0 from the start, so that the first abstention of a kind is an increase.
void Metrics::AddPredictionSeries() {
  using uncertainty::AbstentionReason;
  predictions_.Get({"predicted", "NONE"});
  for (const AbstentionReason reason :
       {AbstentionReason::kLowConfidence, AbstentionReason::kMembersDisagree,
        AbstentionReason::kUnfamiliarInput, AbstentionReason::kConformalSet,
        AbstentionReason::kPolicyClass}) {
    predictions_.Get({"abstained", std::string(uncertainty::ReasonName(reason))});
  }
}

void Metrics::SetBundle(const BundleFacts& bundle) {
  prometheus::BuildGauge()
      .Name("hydra_bundle_info")
      .Help("Always 1; the labels say which bundle is served.")
      .Register(registry_)
      .Add({{"name", bundle.name},
            {"digest", bundle.digest},
            {"weights_digest", bundle.weights_digest},
            {"dtype", bundle.dtype},
            {"members", absl::StrCat(bundle.members)}})
      .Set(1);
  auto& scores = prometheus::BuildHistogram()
                     .Name("hydra_score")
                     .Help("Scores of the answered instances, in the bundle's reference bins.")
                     .Register(registry_);
  base::MutexLock lock(scores_mutex_);
  for (const auto& [name, edges] : bundle.score_edges) {
    scores_[name] = &scores.Add({{"score", name}}, Ascending(edges));
  }
}

prometheus::Counter& Metrics::AddCounter(const std::string& name, const std::string& help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry_).Add({});
}

prometheus::Gauge& Metrics::AddGauge(const std::string& name, const std::string& help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry_).Add({});
}

BoundedFamily<prometheus::Counter> Metrics::CounterFamily(const std::string& name,
                                                          const std::string& help,
                                                          std::vector<std::string> labels) {
  auto& family = prometheus::BuildCounter().Name(name).Help(help).Register(registry_);
  return BoundedFamily<prometheus::Counter>(
      std::move(labels), kMostSeries, [&family](const prometheus::Labels& values) -> auto& {
        return family.Add(values);
      });
}

BoundedFamily<prometheus::Histogram> Metrics::HistogramFamily(const std::string& name,
                                                              const std::string& help,
                                                              std::vector<std::string> labels,
                                                              absl::Span<const double> buckets) {
  auto& family = prometheus::BuildHistogram().Name(name).Help(help).Register(registry_);
  const std::vector<double> edges(buckets.begin(), buckets.end());
  return BoundedFamily<prometheus::Histogram>(
      std::move(labels), kMostSeries, [&family, edges ](const prometheus::Labels& values) -> auto& {
        return family.Add(values, edges);
      });
}

void Metrics::CountRequest(absl::string_view method, absl::string_view code,
                           absl::Duration duration) {
  requests_.Get({std::string(method), std::string(code)}).Increment();
  request_duration_.Get({std::string(method)}).Observe(absl::ToDoubleSeconds(duration));
}

void Metrics::CountFailure(absl::string_view method, absl::string_view reason) {
  failures_.Get({std::string(method), reason.empty() ? "UNSPECIFIED" : std::string(reason)})
      .Increment();
}

void Metrics::ObserveDecode(absl::Duration duration) {
  decode_duration_.Observe(absl::ToDoubleSeconds(duration));
}

void Metrics::CountBatch(const BatchFacts& batch) {
  batches_.Get({batch.dispatch_reason, batch.code}).Increment();
  if (batch.code == "OK") {
    batch_rows_.Observe(static_cast<double>(batch.rows));
    rows_.Increment(static_cast<double>(batch.rows));
    padding_rows_.Increment(static_cast<double>(batch.padded_rows - batch.rows));
    tokens_.Increment(static_cast<double>(batch.tokens));
    compute_duration_.Observe(absl::ToDoubleSeconds(batch.compute));
  }
  for (const absl::Duration wait : batch.queue_waits) {
    queue_duration_.Observe(absl::ToDoubleSeconds(wait));
  }
}

void Metrics::CountDrop(absl::string_view stage, absl::string_view reason) {
  drops_.Get({std::string(stage), std::string(reason)}).Increment();
}

void Metrics::CountPrediction(absl::string_view outcome, absl::string_view reason) {
  predictions_.Get({std::string(outcome), std::string(reason)}).Increment();
}

void Metrics::CountTruncation(size_t truncated_tokens) {
  truncated_texts_.Increment();
  truncated_tokens_.Increment(static_cast<double>(truncated_tokens));
}

void Metrics::ObserveScore(absl::string_view score, double value) {
  prometheus::Histogram* histogram = nullptr;
  {
    base::MutexLock lock(scores_mutex_);
    const auto found = scores_.find(std::string(score));
    if (found == scores_.end()) return;
    histogram = found->second;
  }
  histogram->Observe(value);
}

void Metrics::SetPolicy(uint64_t revision, absl::string_view state) {
  policy_revision_.Set(static_cast<double>(revision));
  for (const auto& [name, gauge] : certificate_states_) gauge->Set(name == state ? 1 : 0);
}

std::string Metrics::Scrape(const Levels& levels) {
  levels_.Set(levels);
  std::ostringstream text;
  prometheus::TextSerializer().Serialize(text, registry_.Collect());
  return text.str();
}

}  // namespace hydra::observability
