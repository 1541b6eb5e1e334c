#include "server/policy/keeper.h"

#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/status_detail.h"
#include "tests/fakes/fake_bundle.h"
#include "tests/fakes/fake_clock.h"

namespace hydra::policy {
namespace {

using ::testing::HasSubstr;
using uncertainty::Score;

// A store that fails when told to.
class FailingStore final : public Store {
 public:
  absl::StatusOr<History> Load() const override { return memory_.Load(); }
  absl::Status Save(const History& history) override {
    return fail_ ? absl::InternalError("disk full") : memory_.Save(history);
  }
  void Fail() { fail_ = true; }

 private:
  MemoryStore memory_;
  bool fail_ = false;
};

class KeeperTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<Keeper>> Make(ServedBundle bundle = fakes::FakeServedBundle()) {
    return Keeper::Create(std::move(bundle), store_, reservoir_, clock_);
  }

  static Change Risk(double risk) { return {.intent = TargetRisk{.risk = risk}}; }
  static Change Threshold(double threshold) {
    return {.rules = {.scores = {{Score::kOneMinusConfidence, threshold}}}};
  }

  fakes::FakeClock clock_;
  Reservoir reservoir_{100, 1};
  MemoryStore store_;
};

TEST_F(KeeperTest, Create_WithoutAnything_StartsWithoutRules) {
  const auto keeper = Make();
  ASSERT_TRUE(keeper.ok()) << keeper.status();
  const Policy& policy = (*keeper)->Current()->policy;
  EXPECT_EQ(policy.revision, 1u);
  EXPECT_TRUE(policy.rules.empty());
  EXPECT_EQ(policy.certificate.state, CertificateState::kVoid);
  EXPECT_EQ(policy.updated_by, "server");
  EXPECT_EQ(store_.Load()->size(), 1u);
}

TEST_F(KeeperTest, Create_UsesTheBundlesOwnPolicy) {
  ServedBundle bundle = fakes::FakeServedBundle();
  bundle.policy_json = R"({"format_version": 1, "intent": {"kind": "target_risk", "risk": 0.03}})";
  const auto keeper = Make(bundle);
  ASSERT_TRUE(keeper.ok()) << keeper.status();
  EXPECT_EQ((*keeper)->Current()->policy.rules.scores.front().threshold, 0.2);
}

TEST_F(KeeperTest, Create_BundlePolicyThatCannotBe_IsRefused) {
  ServedBundle bundle = fakes::FakeServedBundle();
  bundle.policy_json = R"({"format_version": 1, "intent": {"kind": "target_risk", "risk": 0.001}})";
  const auto keeper = Make(bundle);
  EXPECT_EQ(keeper.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(base::ReasonOf(keeper.status()), "TARGET_INFEASIBLE");
}

TEST_F(KeeperTest, Create_TakesUpTheStoredPolicy) {
  ASSERT_TRUE((*Make())->Update(Risk(0.03), {.author = "a"}).ok());
  const auto again = Make();
  ASSERT_TRUE(again.ok());
  EXPECT_EQ((*again)->Current()->policy.revision, 2u);
  EXPECT_EQ((*again)->Current()->policy.certificate.state, CertificateState::kValid);
}

TEST_F(KeeperTest, Create_OtherBundle_DerivesTheTargetAnew) {
  ASSERT_TRUE((*Make())->Update(Risk(0.03), {.author = "a"}).ok());
  ServedBundle other = fakes::FakeServedBundle();
  other.digest = std::string(64, 'f');
  other.calibration.certificates[0].cuts = {{0.15, 300, 0}, {0.6, 1000, 200}};
  const auto keeper = Make(other);
  ASSERT_TRUE(keeper.ok()) << keeper.status();
  const Policy& policy = (*keeper)->Current()->policy;
  EXPECT_EQ(policy.revision, 3u);
  EXPECT_EQ(policy.bundle_digest, other.digest);
  EXPECT_EQ(policy.rules.scores.front().threshold, 0.15);
}

TEST_F(KeeperTest, Create_OtherBundleThatCannotMeetTheTarget_IsRefused) {
  ASSERT_TRUE((*Make())->Update(Risk(0.03), {.author = "a"}).ok());
  ServedBundle other = fakes::FakeServedBundle();
  other.digest = std::string(64, 'f');
  other.calibration.certificates[0].cuts = {{0.6, 1000, 200}};
  EXPECT_EQ(base::ReasonOf(Make(other).status()), "TARGET_INFEASIBLE");
}

TEST_F(KeeperTest, Create_OtherBundleAndRulesByHand_IsRefused) {
  ASSERT_TRUE((*Make())->Update(Threshold(0.4), {.author = "a"}).ok());
  ServedBundle other = fakes::FakeServedBundle();
  other.digest = std::string(64, 'f');
  const auto keeper = Make(other);
  EXPECT_EQ(base::ReasonOf(keeper.status()), "POLICY_FOR_OTHER_BUNDLE");
  EXPECT_EQ(store_.Load()->size(), 2u);
}

TEST_F(KeeperTest, Create_StoredRulesThatTheBundleCannotServe_AreRefused) {
  const auto keeper = Make();
  Policy policy = (*keeper)->Current()->policy;
  policy.rules.never_predict = {17};
  ASSERT_TRUE(store_.Save({policy}).ok());
  EXPECT_EQ(Make().status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(KeeperTest, Update_StoresAndServesTheNewRevision) {
  const auto keeper = Make();
  const auto before = (*keeper)->Current();
  clock_.Advance(absl::Seconds(5));
  const auto policy = (*keeper)->Update(Risk(0.03), {.author = "alice"});
  ASSERT_TRUE(policy.ok()) << policy.status();
  EXPECT_EQ(policy->revision, 2u);
  EXPECT_EQ(policy->updated_by, "alice");
  EXPECT_EQ(policy->updated, clock_.WallNow());
  EXPECT_EQ((*keeper)->Current()->policy.revision, 2u);
  EXPECT_EQ((*keeper)->Current()->bundle, before->bundle);
  EXPECT_EQ(before->policy.revision, 1u);  // a request in flight keeps what it took
  EXPECT_EQ(store_.Load()->back().revision, 2u);
}

TEST_F(KeeperTest, Update_ValidateOnly_ChangesNothing) {
  const auto keeper = Make();
  const auto policy = (*keeper)->Update(Risk(0.03), {.author = "a", .mode = Mode::kValidateOnly});
  ASSERT_TRUE(policy.ok());
  EXPECT_EQ(policy->rules.scores.front().threshold, 0.2);
  EXPECT_EQ((*keeper)->Current()->policy.revision, 1u);
  EXPECT_EQ(store_.Load()->size(), 1u);
}

TEST_F(KeeperTest, Update_WithAnOldEtag_IsAborted) {
  const auto keeper = Make();
  const std::string etag = EtagOf((*keeper)->Current()->policy);
  ASSERT_TRUE((*keeper)->Update(Threshold(0.4), {.etag = etag, .author = "a"}).ok());
  const auto second = (*keeper)->Update(Threshold(0.5), {.etag = etag, .author = "b"});
  EXPECT_EQ(second.status().code(), absl::StatusCode::kAborted);
  EXPECT_EQ(base::ReasonOf(second.status()), "ETAG_MISMATCH");
  EXPECT_EQ(base::MetadataOf(second.status()).at("etag"), EtagOf((*keeper)->Current()->policy));
}

TEST_F(KeeperTest, Update_RacingWithOneEtag_LetsExactlyOneWin) {
  const auto keeper = Make();
  const std::string etag = EtagOf((*keeper)->Current()->policy);
  std::atomic<int> won = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 1; i <= 8; ++i) {
      threads.emplace_back([&, i] {
        won += (*keeper)->Update(Threshold(0.1 * i), {.etag = etag, .author = "a"}).ok();
      });
    }
  }
  EXPECT_EQ(won, 1);
  EXPECT_EQ((*keeper)->Current()->policy.revision, 2u);
}

TEST_F(KeeperTest, Update_StoreFails_KeepsTheOldPolicy) {
  FailingStore store;
  const auto keeper = Keeper::Create(fakes::FakeServedBundle(), store, reservoir_, clock_);
  ASSERT_TRUE(keeper.ok());
  store.Fail();
  EXPECT_EQ((*keeper)->Update(Threshold(0.4), {.author = "a"}).status().code(),
            absl::StatusCode::kInternal);
  EXPECT_EQ((*keeper)->Current()->policy.revision, 1u);
  EXPECT_EQ((*keeper)->Revisions().size(), 1u);
}

TEST_F(KeeperTest, Revisions_AreBoundedAndNewestFirst) {
  const auto keeper = Make();
  for (size_t i = 0; i < Keeper::kMaxRevisions + 10; ++i) {
    ASSERT_TRUE((*keeper)->Update(Threshold(0.4), {.author = "a"}).ok());
  }
  const std::vector<Policy> revisions = (*keeper)->Revisions();
  EXPECT_EQ(revisions.size(), Keeper::kMaxRevisions);
  EXPECT_EQ(revisions.front().revision, Keeper::kMaxRevisions + 11);
  EXPECT_EQ(store_.Load()->size(), Keeper::kMaxRevisions);
}

TEST_F(KeeperTest, Rollback_ReturnsToTheOneBeforeUnderANewNumber) {
  const auto keeper = Make();
  ASSERT_TRUE((*keeper)->Update(Risk(0.03), {.author = "a"}).ok());
  ASSERT_TRUE((*keeper)->Update(Threshold(0.9), {.author = "a"}).ok());
  const auto policy = (*keeper)->Rollback(std::nullopt, {.author = "b"});
  ASSERT_TRUE(policy.ok()) << policy.status();
  EXPECT_EQ(policy->revision, 4u);
  EXPECT_EQ(policy->rules.scores.front().threshold, 0.2);
  EXPECT_EQ(policy->certificate.state, CertificateState::kValid);
}

TEST_F(KeeperTest, Rollback_UnknownRevision_IsNotFound) {
  const auto keeper = Make();
  EXPECT_EQ((*keeper)->Rollback(9, {.author = "a"}).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ((*keeper)->Rollback(std::nullopt, {.author = "a"}).status().code(),
            absl::StatusCode::kNotFound);
}

TEST_F(KeeperTest, Reload_AfterAnEdit_ServesItUnderANewRevision) {
  const auto keeper = Make();
  ASSERT_TRUE((*keeper)->Update(Risk(0.03), {.author = "a"}).ok());
  History history = *store_.Load();
  history.back().rules.scores.front().threshold = 0.35;
  ASSERT_TRUE(store_.Save(history).ok());
  ASSERT_TRUE((*keeper)->Reload().ok());
  const Policy policy = (*keeper)->Current()->policy;
  EXPECT_EQ(policy.rules.scores.front().threshold, 0.35);
  EXPECT_EQ(policy.revision, 3u);
  EXPECT_EQ(policy.certificate.state, CertificateState::kVoid);
  EXPECT_THAT(policy.certificate.reason, HasSubstr("differ"));
}

TEST_F(KeeperTest, Reload_OfAnUnusableFile_KeepsTheOldPolicy) {
  const auto keeper = Make();
  History history = *store_.Load();
  history.back().rules.never_predict = {99};
  ASSERT_TRUE(store_.Save(history).ok());
  EXPECT_FALSE((*keeper)->Reload().ok());
  EXPECT_TRUE((*keeper)->Current()->policy.rules.empty());
}

TEST_F(KeeperTest, PreviewChange_UsesTheTargetsDeltaUnlessAsked) {
  const auto keeper = Make();
  const Change change{.intent = TargetRisk{.risk = 0.1, .delta = 0.01}};
  EXPECT_EQ((*keeper)->PreviewChange(change, std::nullopt)->delta, 0.01);
  EXPECT_EQ((*keeper)->PreviewChange(change, 0.2)->delta, 0.2);
  EXPECT_EQ((*keeper)->PreviewChange(Threshold(0.2), std::nullopt)->delta, 0.05);
  EXPECT_EQ((*keeper)->Current()->policy.revision, 1u);
}

}  // namespace
}  // namespace hydra::policy
