// Jobs and observers for the tests of server/batching.
#pragma once

#include <cstddef>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/base/mutex.h"
#include "model/base/status_detail.h"
#include "server/batching/job.h"
#include "server/batching/observer.h"

namespace hydra::batching {

using Answer = absl::StatusOr<JobResult>;

// A job and its answer.
struct TestJob {
  Job job;
  std::future<Answer> answer;
};

inline TestJob MakeJob(runtime::Rows rows, size_t row_count, absl::Time deadline) {
  auto promise = std::make_shared<std::promise<Answer>>();  // std::function must be copyable
  TestJob test{.answer = promise->get_future()};
  test.job.rows = std::move(rows);
  test.job.row_count = row_count;
  test.job.deadline = deadline;
  test.job.done = [promise](Answer answer) { promise->set_value(std::move(answer)); };
  return test;
}

// A job whose row i holds `first + i` in its first value and zero elsewhere.
inline TestJob MakeJob(size_t row_count, size_t row_values, float first,
                       absl::Time deadline = absl::InfiniteFuture()) {
  runtime::Rows rows;
  rows.values.resize(row_count * row_values);
  for (size_t i = 0; i < row_count; ++i) {
    rows.values[i * row_values] = first + static_cast<float>(i);
  }
  return MakeJob(std::move(rows), row_count, deadline);
}

// A job whose text i has `lengths[i]` tokens, the first `first + i` and the others zero.
inline TestJob MakeTextJob(std::vector<size_t> lengths, int64_t first,
                           absl::Time deadline = absl::InfiniteFuture()) {
  runtime::Rows rows;
  for (const size_t length : lengths) {
    rows.token_ids.push_back(first++);
    rows.token_ids.resize(rows.token_ids.size() + length - 1);
  }
  const size_t row_count = lengths.size();
  rows.lengths = std::move(lengths);
  return MakeJob(std::move(rows), row_count, deadline);
}

class RecordingObserver final : public Observer {
 public:
  void OnDropped(Stage stage, const absl::Status& status) override {
    base::MutexLock lock(mutex_);
    drops_.push_back(std::string(ToString(stage)) + " " + base::ReasonOf(status));
  }

  void OnBatch(const BatchReport& report) override {
    base::MutexLock lock(mutex_);
    reports_.push_back(report);
  }

  std::vector<std::string> drops() const {
    base::MutexLock lock(mutex_);
    return drops_;
  }

  std::vector<BatchReport> reports() const {
    base::MutexLock lock(mutex_);
    return reports_;
  }

 private:
  mutable base::Mutex mutex_;
  std::vector<std::string> drops_ ABSL_GUARDED_BY(mutex_);
  std::vector<BatchReport> reports_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hydra::batching
