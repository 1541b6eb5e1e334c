#include "server/batching/batch.h"

#include <cmath>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/status_detail.h"
#include "tests/unit/server/batching/testing_jobs.h"

namespace hydra::batching {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr runtime::PredictorShape kShape{.members = 2, .classes = 2, .row_values = 2};

TEST(GatherRowsTest, JobsFollowEachOtherAndPaddingIsZero) {
  std::vector<QueuedJob> jobs;
  jobs.push_back({.job = MakeJob(1, 2, 5.0f).job});
  jobs.push_back({.job = MakeJob(2, 2, 7.0f).job});
  EXPECT_EQ(CountRows(jobs), 3u);
  std::vector<float> buffer(8, NAN);
  GatherRows(jobs, absl::MakeSpan(buffer));
  EXPECT_THAT(buffer, ElementsAre(5, 0, 7, 0, 8, 0, 0, 0));
}

TEST(ExtractRowsTest, CutsTheRowsOfEveryMember) {
  const std::vector<float> logits = {
      0,   1,   10,  11,  20,  21,  // member 0: three rows of two classes
      100, 101, 110, 111, 120, 121};
  const auto cut = ExtractRows(logits, kShape, 1, 2);
  ASSERT_TRUE(cut.ok());
  EXPECT_THAT(*cut, ElementsAre(10, 11, 20, 21, 110, 111, 120, 121));
}

TEST(ExtractRowsTest, NonFiniteLogit_IsNamedAndOthersAreNot) {
  std::vector<float> logits(12, 0.0f);
  logits[6 + 2 * 2 + 1] = INFINITY;  // member 1, row 2, class 1
  EXPECT_TRUE(ExtractRows(logits, kShape, 0, 2).ok());
  const absl::Status status = ExtractRows(logits, kShape, 1, 2).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(base::ReasonOf(status), "NON_FINITE_OUTPUT");
  EXPECT_THAT(status.message(), HasSubstr("row 1, member 1, class 1"));
}

}  // namespace
}  // namespace hydra::batching
