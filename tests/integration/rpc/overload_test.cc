// What a caller sees when jobs are refused, late, given up or cut off by a shutdown.
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "gmock/gmock.h"
#include "model/base/status_detail.h"
#include "tests/integration/rpc/rpc_fixture.h"

namespace hydra::rpc {
namespace {

// Takes jobs and keeps them until the test answers.  Thread-safe.
class HeldJobs {
 public:
  absl::Status Submit(batching::Job job) {
    const base::MutexLock lock(mutex_);
    jobs_.push_back(std::move(job));
    arrived_.NotifyAll();
    return absl::OkStatus();
  }

  // Waits for the next job.
  batching::Job Take() {
    const base::MutexLock lock(mutex_);
    while (jobs_.empty()) arrived_.Wait(mutex_);
    batching::Job job = std::move(jobs_.front());
    jobs_.erase(jobs_.begin());
    return job;
  }

 private:
  base::Mutex mutex_;
  base::CondVar arrived_;
  std::vector<batching::Job> jobs_ ABSL_GUARDED_BY(mutex_);
};

class OverloadTest : public RpcFixture {
 protected:
  void StartWithHeldJobs() {
    StartWith([this](batching::Job job) { return held_.Submit(std::move(job)); });
  }

  static batching::JobResult OneRow() { return {.member_logits = std::vector<float>(9, 0.0f)}; }

  static v1::PredictRequest OneInstance() {
    v1::PredictRequest request;
    AddValues({0, 0, 0, 0}, request);
    return request;
  }

  HeldJobs held_;
};

TEST_F(OverloadTest, FullQueue_SaysWhenToComeBack) {
  StartWith([](batching::Job) {
    return base::WithRetryDelay(
        base::WithReason(absl::ResourceExhaustedError("queue is full"), "QUEUE_FULL"),
        absl::Milliseconds(250));
  });
  grpc::ClientContext context;
  const absl::Status status = Predict(OneInstance(), context).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(base::ReasonOf(status), "QUEUE_FULL");
  EXPECT_EQ(base::RetryDelayOf(status), absl::Milliseconds(250));
  const auto trailers = context.GetServerTrailingMetadata();
  const auto pushback = trailers.find("grpc-retry-pushback-ms");
  ASSERT_NE(pushback, trailers.end());
  EXPECT_EQ(std::string(pushback->second.data(), pushback->second.size()), "250");
}

TEST_F(OverloadTest, Draining_IsUnavailable) {
  StartWith([](batching::Job) {
    return base::WithReason(absl::UnavailableError("draining"), "DRAINING");
  });
  const absl::Status status = Predict(OneInstance()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(base::ReasonOf(status), "DRAINING");
}

TEST_F(OverloadTest, FailedPass_IsInternalWithItsReason) {
  StartWithHeldJobs();
  auto answer = std::async(std::launch::async, [this] { return Predict(OneInstance()).status(); });
  held_.Take().done(base::WithReason(absl::InternalError("NaN"), "NON_FINITE_OUTPUT"));
  const absl::Status status = answer.get();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(base::ReasonOf(status), "NON_FINITE_OUTPUT");
}

TEST_F(OverloadTest, ClientDeadline_ReachesTheJob) {
  StartWithHeldJobs();
  const absl::Time before = clock_.MonotonicNow();
  auto answer = std::async(std::launch::async, [this] {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(100));
    return Predict(OneInstance(), context).status();
  });
  batching::Job job = held_.Take();
  EXPECT_GT(job.deadline, before + absl::Seconds(90));
  EXPECT_LT(job.deadline, clock_.MonotonicNow() + absl::Seconds(101));
  job.done(OneRow());
  EXPECT_TRUE(answer.get().ok());
}

TEST_F(OverloadTest, NoDeadline_IsInfinite) {
  StartWithHeldJobs();
  auto answer = std::async(std::launch::async, [this] { return Predict(OneInstance()).status(); });
  batching::Job job = held_.Take();
  EXPECT_EQ(job.deadline, absl::InfiniteFuture());
  EXPECT_FALSE(job.cancel->cancelled());
  job.done(OneRow());
  EXPECT_TRUE(answer.get().ok());
}

TEST_F(OverloadTest, CallerThatGoesAway_CancelsItsJob) {
  StartWithHeldJobs();
  grpc::ClientContext context;
  auto answer =
      std::async(std::launch::async, [&] { return Predict(OneInstance(), context).status(); });
  batching::Job job = held_.Take();
  context.TryCancel();
  EXPECT_EQ(answer.get().code(), absl::StatusCode::kCancelled);
  while (!job.cancel->cancelled()) std::this_thread::yield();  // the test's own timeout ends it
  job.done(absl::CancelledError("caller went away"));
}

TEST_F(OverloadTest, ExpiredDeadline_CancelsItsJob) {
  StartWithHeldJobs();
  auto answer = std::async(std::launch::async, [this] {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(300));
    return Predict(OneInstance(), context).status();
  });
  batching::Job job = held_.Take();
  EXPECT_EQ(answer.get().code(), absl::StatusCode::kDeadlineExceeded);
  while (!job.cancel->cancelled()) std::this_thread::yield();
  job.done(absl::DeadlineExceededError("too late"));
}

TEST_F(OverloadTest, ManyHeldCalls_DoNotBlockTheOthers) {
  StartWithHeldJobs();
  std::vector<std::future<absl::Status>> answers;
  for (int i = 0; i < 20; ++i) {
    answers.push_back(
        std::async(std::launch::async, [this] { return Predict(OneInstance()).status(); }));
  }
  std::vector<batching::Job> jobs;
  for (int i = 0; i < 20; ++i) jobs.push_back(held_.Take());  // all have arrived, none is answered
  for (auto job = jobs.rbegin(); job != jobs.rend(); ++job) job->done(OneRow());
  for (auto& answer : answers) EXPECT_TRUE(answer.get().ok());
}

TEST_F(OverloadTest, ShutdownWithGrace_WaitsForRunningCalls) {
  StartWithHeldJobs();
  auto answer = std::async(std::launch::async, [this] { return Predict(OneInstance()).status(); });
  batching::Job job = held_.Take();
  auto shutdown = std::async(std::launch::async, [this] { server_->Shutdown(absl::Minutes(1)); });
  job.done(OneRow());
  EXPECT_TRUE(answer.get().ok());
  shutdown.get();
}

TEST_F(OverloadTest, ShutdownWithoutGrace_CutsCallsOffAndWaitsForTheirJobs) {
  StartWithHeldJobs();
  auto answer = std::async(std::launch::async, [this] { return Predict(OneInstance()).status(); });
  batching::Job job = held_.Take();
  auto shutdown =
      std::async(std::launch::async, [this] { server_->Shutdown(absl::ZeroDuration()); });
  EXPECT_FALSE(answer.get().ok());
  EXPECT_EQ(shutdown.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  job.done(OneRow());
  shutdown.get();
}

TEST_F(OverloadTest, Shutdown_IsIdempotent) {
  StartWithHeldJobs();
  server_->Shutdown(absl::ZeroDuration());
  server_->Shutdown(absl::ZeroDuration());
  EXPECT_FALSE(Predict(OneInstance()).ok());
}

}  // namespace
}  // namespace hydra::rpc
