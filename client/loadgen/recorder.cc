#include "client/loadgen/recorder.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hydra::loadgen {
namespace {

bool IsRefusal(absl::StatusCode code) {
  return code == absl::StatusCode::kResourceExhausted || code == absl::StatusCode::kUnavailable;
}

absl::Duration NearestRank(const std::vector<absl::Duration>& sorted, double quantile) {
  const double rank = std::ceil(quantile * static_cast<double>(sorted.size()));
  return sorted[static_cast<size_t>(std::max(rank, 1.0)) - 1];
}

}  // namespace

LatencySummary SummarizeLatencies(std::vector<absl::Duration> latencies) {
  if (latencies.empty()) return {};
  std::sort(latencies.begin(), latencies.end());
  return {.calls = latencies.size(),
          .p50 = NearestRank(latencies, 0.5),
          .p90 = NearestRank(latencies, 0.9),
          .p99 = NearestRank(latencies, 0.99),
          .p999 = NearestRank(latencies, 0.999),
          .max = latencies.back()};
}

void Recorder::Add(const CallRecord& record) {
  if (record.scheduled < measure_from_) return;
  ++calls_;
  ++codes_[record.code];
  last_finished_ = std::max(last_finished_, record.finished);
  lag_.push_back(record.sent - record.scheduled);
  if (record.code == absl::StatusCode::kOk) {
    answered_.push_back(record.finished - record.scheduled);
    if (answered_.back() <= deadline_) {
      ++good_calls_;
      good_rows_ += record.rows;
    }
    answered_rows_ += record.answered;
    abstained_rows_ += record.abstained;
  } else if (IsRefusal(record.code)) {
    refused_.push_back(record.finished - record.sent);
  }
}

void Recorder::AddNotSent(absl::Time scheduled) {
  if (scheduled >= measure_from_) ++not_sent_;
}

LoadSummary Recorder::Summarize() const {
  LoadSummary summary;
  summary.calls = calls_;
  summary.not_sent = not_sent_;
  summary.codes = codes_;
  summary.answered = SummarizeLatencies(answered_);
  summary.refused = SummarizeLatencies(refused_);
  summary.lag = SummarizeLatencies(lag_);
  if (calls_ > 0) summary.wall = last_finished_ - measure_from_;
  const double seconds = absl::ToDoubleSeconds(summary.wall);
  if (seconds > 0.0) {
    summary.calls_per_second = static_cast<double>(calls_) / seconds;
    summary.good_calls_per_second = static_cast<double>(good_calls_) / seconds;
    summary.good_rows_per_second = static_cast<double>(good_rows_) / seconds;
  }
  if (answered_rows_ > 0) {
    summary.abstained_share =
        static_cast<double>(abstained_rows_) / static_cast<double>(answered_rows_);
  }
  return summary;
}

}  // namespace hydra::loadgen
