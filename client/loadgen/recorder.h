// Collects what happened to every call of a load and sums it up.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace hydra::loadgen {

// One finished call.  Times are on one monotonic clock.
struct CallRecord {
  absl::Time scheduled;  // when it should have been sent: latency counts from here
  absl::Time sent;       // when it was sent; later than scheduled when the client fell behind
  absl::Time finished;
  absl::StatusCode code = absl::StatusCode::kOk;
  size_t rows = 0;       // instances asked
  size_t answered = 0;   // instances answered without an error of their own
  size_t abstained = 0;  // answered instances whose outcome is ABSTAINED
};

// Nearest-rank percentiles: always a latency that some call really had.
struct LatencySummary {
  size_t calls = 0;
  absl::Duration p50;
  absl::Duration p90;
  absl::Duration p99;
  absl::Duration p999;
  absl::Duration max;
};

struct LoadSummary {
  absl::Duration wall;  // from the end of the warm-up to the last answer
  size_t calls = 0;
  size_t not_sent = 0;                 // due, but the bound on calls in flight was reached
  double calls_per_second = 0.0;       // throughput: calls answered with any code
  double good_calls_per_second = 0.0;  // goodput: answered OK and within `deadline` of the schedule
  double good_rows_per_second = 0.0;
  std::map<absl::StatusCode, size_t> codes;
  LatencySummary answered;  // from the scheduled time, calls that were answered OK
  LatencySummary refused;   // from the real send time, RESOURCE_EXHAUSTED and UNAVAILABLE
  LatencySummary lag;       // scheduled to sent: how far the client itself fell behind
  std::optional<double> abstained_share;  // of answered rows; unset when none was answered
};

// Not thread-safe.
class Recorder {
 public:
  // Calls scheduled before `measure_from` are warm-up and are left out.
  Recorder(absl::Time measure_from, absl::Duration deadline)
      : measure_from_(measure_from), deadline_(deadline) {}

  void Add(const CallRecord& record);
  void AddNotSent(absl::Time scheduled);
  LoadSummary Summarize() const;

 private:
  absl::Time measure_from_;
  absl::Duration deadline_;
  absl::Time last_finished_ = absl::InfinitePast();
  size_t calls_ = 0;
  size_t not_sent_ = 0;
  size_t good_calls_ = 0;
  size_t good_rows_ = 0;
  size_t answered_rows_ = 0;
  size_t abstained_rows_ = 0;
  std::map<absl::StatusCode, size_t> codes_;
  std::vector<absl::Duration> answered_;
  std::vector<absl::Duration> refused_;
  std::vector<absl::Duration> lag_;
};

// Sorts a copy.  All zero when `latencies` is empty.
LatencySummary SummarizeLatencies(std::vector<absl::Duration> latencies);

}  // namespace hydra::loadgen
