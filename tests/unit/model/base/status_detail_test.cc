#include "model/base/status_detail.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hydra::base {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(StatusDetailTest, Unset_ReadsAsNothing) {
  const absl::Status status = absl::InternalError("x");
  EXPECT_EQ(ReasonOf(status), "");
  EXPECT_EQ(RetryDelayOf(status), std::nullopt);
  EXPECT_THAT(FieldViolationsOf(status), IsEmpty());
  EXPECT_THAT(MetadataOf(status), IsEmpty());
}

TEST(StatusDetailTest, AllDetails_TravelWithoutTouchingCodeOrMessage) {
  absl::Status status = WithReason(absl::ResourceExhaustedError("full"), "QUEUE_FULL");
  status = WithRetryDelay(std::move(status), absl::Microseconds(1500));
  status = WithMetadata(std::move(status), "limit", "7");
  status = WithMetadata(std::move(status), "got", std::string("a\0b", 3));
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(status.message(), "full");
  EXPECT_EQ(ReasonOf(status), "QUEUE_FULL");
  EXPECT_EQ(RetryDelayOf(status), absl::Milliseconds(2));
  EXPECT_THAT(MetadataOf(status),
              ElementsAre(Pair("got", std::string("a\0b", 3)), Pair("limit", "7")));
}

TEST(StatusDetailTest, FieldViolations_KeepOrderAndAreCapped) {
  std::vector<FieldViolation> violations;
  for (int i = 0; i < 20; ++i)
    violations.push_back({"instances[" + std::to_string(i) + "]", "bad"});
  const absl::Status status = WithFieldViolations(absl::InvalidArgumentError("x"), violations);
  violations.resize(kMaxFieldViolations);
  EXPECT_EQ(FieldViolationsOf(status), violations);
}

TEST(StatusDetailTest, FieldViolations_AreReplaced) {
  absl::Status status =
      WithFieldViolations(absl::InvalidArgumentError("x"), {{"a", "1"}, {"b", "2"}});
  status = WithFieldViolations(std::move(status), {{"c", "3"}});
  EXPECT_THAT(FieldViolationsOf(status), ElementsAre(FieldViolation{"c", "3"}));
}

TEST(StatusDetailTest, Ok_CarriesNothing) {
  const absl::Status status = WithMetadata(WithReason(absl::OkStatus(), "X"), "a", "b");
  EXPECT_EQ(ReasonOf(status), "");
  EXPECT_THAT(MetadataOf(status), IsEmpty());
}

}  // namespace
}  // namespace hydra::base
