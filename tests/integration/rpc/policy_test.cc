// AbstentionService over the wire: targets, etags, previews, history and who may change.
#include <filesystem>
#include <string>

#include "gmock/gmock.h"
#include "hydra/v1/abstention.grpc.pb.h"
#include "model/base/file.h"
#include "model/base/status_detail.h"
#include "tests/integration/rpc/rpc_fixture.h"

namespace hydra::rpc {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Pair;

constexpr char kToken[] = "0123456789abcdef0123";

class PolicyTest : public RpcFixture {
 protected:
  void Start(RpcServerOptions options = Options()) {
    StartWith([](batching::Job) { return absl::UnavailableError("no model"); }, std::move(options));
    stub_ = v1::AbstentionService::NewStub(channel_);
  }

  absl::StatusOr<v1::UpdatePolicyResponse> Update(const v1::UpdatePolicyRequest& request,
                                                  const std::string& authorization = "") {
    grpc::ClientContext context;
    if (!authorization.empty()) context.AddMetadata("authorization", authorization);
    v1::UpdatePolicyResponse response;
    const grpc::Status status = stub_->UpdatePolicy(&context, request, &response);
    if (!status.ok()) return client::StatusFromGrpc(status);
    return response;
  }

  v1::Policy Get() {
    grpc::ClientContext context;
    v1::GetPolicyResponse response;
    const grpc::Status status = stub_->GetPolicy(&context, {}, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response.policy();
  }

  static v1::UpdatePolicyRequest Risk(double risk) {
    v1::UpdatePolicyRequest request;
    request.mutable_policy()->mutable_intent()->mutable_target_risk()->set_risk(risk);
    return request;
  }

  static v1::UpdatePolicyRequest Threshold(double threshold) {
    v1::UpdatePolicyRequest request;
    v1::ScoreRule& rule = *request.mutable_policy()->add_rules()->mutable_score();
    rule.set_score_name("one_minus_confidence");
    rule.set_threshold(threshold);
    return request;
  }

  // A server that listens beyond loopback, or seems to.
  static RpcServerOptions Open() {
    RpcServerOptions options = Options();
    options.listen = "0.0.0.0:0";
    return options;
  }

  static std::string WriteTokenFile(const std::string& text) {
    const std::string path =
        absl::StrCat(testing::TempDir(), "/tokens_",
                     testing::UnitTest::GetInstance()->current_test_info()->name());
    EXPECT_TRUE(base::WriteFileAtomically(path, text).ok());
    return path;
  }

  std::unique_ptr<v1::AbstentionService::Stub> stub_;
};

TEST_F(PolicyTest, TargetRisk_SetsACertifiedThreshold) {
  Start();
  const auto response = Update(Risk(0.03));
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_TRUE(response->applied());
  const v1::Policy policy = Get();
  EXPECT_EQ(policy.revision(), 2u);
  ASSERT_EQ(policy.rules_size(), 1);
  EXPECT_EQ(policy.rules(0).score().score_name(), "one_minus_confidence");
  EXPECT_EQ(policy.rules(0).score().threshold(), 0.2);
  EXPECT_EQ(policy.certificate().state(), v1::CERTIFICATE_STATE_VALID);
  EXPECT_LE(policy.certificate().risk_bound(), 0.03);
  EXPECT_EQ(policy.intent().target_risk().delta(), 0.05);
  EXPECT_EQ(policy.updated_by(), "anonymous");
  EXPECT_THAT(observer_.revisions(), ElementsAre(2));
}

TEST_F(PolicyTest, RulesByHand_VoidTheCertificate) {
  Start();
  ASSERT_TRUE(Update(Risk(0.03)).ok());
  ASSERT_TRUE(Update(Threshold(0.21)).ok());
  EXPECT_EQ(Get().certificate().state(), v1::CERTIFICATE_STATE_VOID);
  EXPECT_TRUE(Get().intent().has_manual());
}

TEST_F(PolicyTest, InfeasibleTarget_SaysWhichNWouldDo) {
  Start();
  const absl::Status status = Update(Risk(0.001)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(base::ReasonOf(status), "TARGET_INFEASIBLE");
  EXPECT_THAT(base::MetadataOf(status), Contains(Pair("n", "1000")));
  EXPECT_EQ(Get().revision(), 1u);
}

TEST_F(PolicyTest, BadThreshold_NamesItsField) {
  Start();
  const absl::Status status = Update(Threshold(std::nan(""))).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(base::FieldViolationsOf(status)[0].path, "policy.rules[0].score.threshold");
}

TEST_F(PolicyTest, StaleEtag_IsAborted) {
  Start();
  v1::UpdatePolicyRequest first = Risk(0.03);
  first.mutable_policy()->set_etag(Get().etag());
  v1::UpdatePolicyRequest second = Threshold(0.4);
  second.mutable_policy()->set_etag(Get().etag());
  EXPECT_TRUE(Update(first).ok());
  const absl::Status status = Update(second).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kAborted);
  EXPECT_THAT(base::MetadataOf(status), Contains(Pair("etag", Get().etag())));
}

TEST_F(PolicyTest, ValidateOnly_ChangesNothing) {
  Start();
  v1::UpdatePolicyRequest request = Risk(0.03);
  request.set_validate_only(true);
  const auto response = Update(request);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_FALSE(response->applied());
  EXPECT_EQ(response->policy().rules(0).score().threshold(), 0.2);
  EXPECT_EQ(Get().revision(), 1u);
  EXPECT_THAT(observer_.revisions(), IsEmpty());
}

TEST_F(PolicyTest, Preview_ShowsCutAndLiveTrafficWithoutChange) {
  Start();
  std::vector<policy::LiveSample> samples(4);
  for (size_t i = 0; i < samples.size(); ++i) samples[i].answer.split.confidence = 0.25 * i;
  reservoir_.Add(samples);
  v1::PreviewPolicyRequest request;
  request.mutable_intent()->mutable_target_coverage()->set_coverage(0.9);
  grpc::ClientContext context;
  v1::PreviewPolicyResponse response;
  ASSERT_TRUE(stub_->PreviewPolicy(&context, request, &response).ok());
  EXPECT_EQ(response.certified().threshold(), 0.5);
  EXPECT_EQ(response.certified().coverage(), 0.9);
  EXPECT_EQ(response.certified().selective_risk(), 0.05);
  EXPECT_GT(response.certified().selective_risk_upper(), 0.05);
  EXPECT_EQ(response.live().samples(), 4u);
  EXPECT_EQ(response.live().active_coverage(), 1.0);
  EXPECT_EQ(response.live().coverage(), 0.5);
  EXPECT_EQ(response.live().flipped(), 0.5);
  EXPECT_EQ(Get().revision(), 1u);
}

TEST_F(PolicyTest, HistoryAndRollback_GoTogether) {
  Start();
  ASSERT_TRUE(Update(Risk(0.03)).ok());
  ASSERT_TRUE(Update(Threshold(0.9)).ok());
  v1::RollbackPolicyRequest rollback;
  rollback.set_revision(2);
  grpc::ClientContext context;
  v1::RollbackPolicyResponse rolled;
  ASSERT_TRUE(stub_->RollbackPolicy(&context, rollback, &rolled).ok());
  EXPECT_EQ(rolled.policy().revision(), 4u);
  EXPECT_EQ(rolled.policy().rules(0).score().threshold(), 0.2);
  v1::ListPolicyRevisionsRequest list;
  list.set_page_size(3);
  grpc::ClientContext list_context;
  v1::ListPolicyRevisionsResponse listed;
  ASSERT_TRUE(stub_->ListPolicyRevisions(&list_context, list, &listed).ok());
  ASSERT_EQ(listed.policies_size(), 3);
  EXPECT_EQ(listed.policies(0).revision(), 4u);
  EXPECT_EQ(listed.next_page_token(), "3");
  rollback.set_revision(99);
  grpc::ClientContext missing_context;
  EXPECT_EQ(stub_->RollbackPolicy(&missing_context, rollback, &rolled).error_code(),
            grpc::StatusCode::NOT_FOUND);
}

TEST_F(PolicyTest, OpenAddressWithoutToken_AllowsReadingOnly) {
  Start(Open());
  const absl::Status status = Update(Risk(0.03)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(base::ReasonOf(status), "CHANGES_DISABLED");
  EXPECT_EQ(Get().revision(), 1u);
}

TEST_F(PolicyTest, Token_OpensChangesAndNamesTheAuthor) {
  RpcServerOptions options = Open();
  options.token_file = WriteTokenFile(absl::StrCat("alice:", kToken, "\n"));
  Start(options);
  EXPECT_EQ(base::ReasonOf(Update(Risk(0.03)).status()), "NO_TOKEN");
  for (const std::string& wrong :
       {absl::StrCat("Bearer ", kToken, "x"), std::string("Bearer "), std::string(kToken),
        absl::StrCat("Basic ", kToken), absl::StrCat("Bearer alice:", kToken)}) {
    const absl::Status status = Update(Risk(0.03), wrong).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kUnauthenticated) << wrong;
    EXPECT_EQ(base::ReasonOf(status), "BAD_TOKEN") << wrong;
  }
  ASSERT_TRUE(Update(Risk(0.03), absl::StrCat("Bearer ", kToken)).ok());
  EXPECT_EQ(Get().updated_by(), "alice");
  std::filesystem::remove(options.token_file);
}

TEST_F(PolicyTest, TokenOnLoopback_IsNeededToo) {
  RpcServerOptions options = Options();
  options.token_file = WriteTokenFile(kToken);
  Start(options);
  EXPECT_EQ(Update(Risk(0.03)).status().code(), absl::StatusCode::kUnauthenticated);
  std::filesystem::remove(options.token_file);
}

}  // namespace
}  // namespace hydra::rpc
