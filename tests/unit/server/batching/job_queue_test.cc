#include "server/batching/job_queue.h"

#include <memory>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/status_detail.h"
#include "tests/fakes/fake_clock.h"
#include "tests/unit/server/batching/testing_jobs.h"

namespace hydra::batching {
namespace {

using ::testing::HasSubstr;

constexpr size_t kRowValues = 2;

class JobQueueTest : public ::testing::Test {
 protected:
  Job Rows(size_t count) { return MakeJob(count, kRowValues, 0.0f).job; }

  fakes::FakeClock clock_;
  JobQueue queue_{{.max_requests = 3, .max_rows = 8, .max_bytes = 48}};
};

TEST_F(JobQueueTest, EachBound_IsRefusedByName) {
  for (int i = 0; i < 3; ++i) queue_.Push(Rows(1), clock_.MonotonicNow());
  const absl::Status requests = queue_.CheckRoom(Rows(1));
  EXPECT_EQ(requests.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(base::ReasonOf(requests), "QUEUE_FULL");
  EXPECT_THAT(requests.message(), HasSubstr("got 4 requests, want at most 3"));
  queue_.PopFront();
  EXPECT_THAT(queue_.CheckRoom(Rows(7)).message(), HasSubstr("got 9 rows, want at most 8"));
  EXPECT_THAT(queue_.CheckRoom(Rows(5)).message(), HasSubstr("got 56 bytes, want at most 48"));
  EXPECT_TRUE(queue_.CheckRoom(Rows(4)).ok());
}

TEST_F(JobQueueTest, CountThatWouldOverflow_IsRefused) {
  queue_.Push(Rows(1), clock_.MonotonicNow());
  Job huge = Rows(1);
  huge.row_count = SIZE_MAX;
  EXPECT_FALSE(queue_.CheckRoom(huge).ok());
}

TEST_F(JobQueueTest, PushAndPop_KeepOrderAndDepth) {
  queue_.Push(MakeJob(2, kRowValues, 10.0f).job, clock_.MonotonicNow());
  clock_.Advance(absl::Milliseconds(5));
  queue_.Push(MakeJob(1, kRowValues, 20.0f).job, clock_.MonotonicNow());
  EXPECT_EQ(queue_.depth().requests, 2u);
  EXPECT_EQ(queue_.depth().rows, 3u);
  EXPECT_EQ(queue_.depth().bytes, 24u);
  EXPECT_EQ(queue_.OldestWait(clock_.MonotonicNow()), absl::Milliseconds(5));
  EXPECT_EQ(queue_.PopFront().job.rows.values.front(), 10.0f);
  EXPECT_EQ(queue_.PopFront().job.rows.values.front(), 20.0f);
  EXPECT_EQ(queue_.depth().bytes, 0u);
  EXPECT_EQ(queue_.OldestWait(clock_.MonotonicNow()), absl::ZeroDuration());
}

TEST_F(JobQueueTest, TakeDead_TakesCancelledAndExpiredAndKeepsTheRestInOrder) {
  auto flag = std::make_shared<CancelFlag>();
  const absl::Time now = clock_.MonotonicNow();
  Job cancelled = Rows(1);
  cancelled.cancel = flag;
  queue_.Push(MakeJob(1, kRowValues, 1.0f).job, now);
  queue_.Push(std::move(cancelled), now);
  queue_.Push(MakeJob(1, kRowValues, 3.0f, now + absl::Milliseconds(2)).job, now);
  EXPECT_TRUE(queue_.TakeDead(now).empty());
  flag->Cancel();
  EXPECT_EQ(queue_.TakeDead(now).size(), 1u);
  EXPECT_EQ(queue_.TakeDead(now + absl::Milliseconds(2)).size(), 1u);
  EXPECT_EQ(queue_.depth().requests, 1u);
  EXPECT_EQ(queue_.PopFront().job.rows.values.front(), 1.0f);
}

TEST_F(JobQueueTest, TakeAll_LeavesNothing) {
  queue_.Push(Rows(2), clock_.MonotonicNow());
  EXPECT_EQ(queue_.TakeAll().size(), 1u);
  EXPECT_TRUE(queue_.empty());
  EXPECT_EQ(queue_.depth().rows, 0u);
}

TEST_F(JobQueueTest, CheckAlive_NamesTheCause) {
  Job job = Rows(1);
  job.deadline = clock_.MonotonicNow();
  EXPECT_EQ(base::ReasonOf(CheckAlive(job, clock_.MonotonicNow())), "DEADLINE_EXPIRED");
  auto flag = std::make_shared<CancelFlag>();
  flag->Cancel();
  job.cancel = flag;
  EXPECT_EQ(CheckAlive(job, clock_.MonotonicNow()).code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace hydra::batching
