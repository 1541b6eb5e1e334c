#include "server/rpc/control/explain_conversion.h"

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/status_detail.h"
#include "model/interpret/laplace_map.h"
#include "tests/fakes/fake_bundle.h"
#include "tests/fakes/fake_predictor.h"
#include "tests/fakes/request_bytes.h"

namespace hydra::rpc {
namespace {

using ::testing::HasSubstr;

constexpr RequestLimits kLimits{.max_instances = 8, .max_text_bytes = 100};

std::shared_ptr<const policy::Snapshot> Serving(policy::ServedBundle bundle) {
  return std::make_shared<policy::Snapshot>(
      policy::Snapshot{.bundle = std::make_shared<const policy::ServedBundle>(std::move(bundle))});
}

v1::ExplainHeadsRequest ImageRequest(uint32_t layer, uint32_t head, uint32_t member) {
  v1::ExplainHeadsRequest request;
  v1::Tensor& tensor = *request.mutable_instance()->mutable_tensor();
  tensor.set_dtype(v1::TENSOR_DATA_TYPE_FP32);
  for (const int64_t dimension : {1, 2, 2}) tensor.add_shape(dimension);
  tensor.set_data(fakes::FloatBytes({1.0f, 2.0f, 3.0f, 4.0f}));
  v1::HeadReference& reference = *request.add_heads();
  reference.set_layer(layer);
  reference.set_head(head);
  reference.set_member(member);
  return request;
}

// The first violation's path and description, for a request that is refused.
std::string Violation(const v1::ExplainHeadsRequest& request) {
  const absl::Status status =
      PlanExplain(request, Serving(fakes::FakeServedBundle()), kLimits).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  const auto violations = base::FieldViolationsOf(status);
  return violations.empty() ? "" : violations[0].path + ": " + violations[0].description;
}

TEST(PlanExplainTest, KeptHead_IsPlannedWithItsInput) {
  const auto plan = PlanExplain(ImageRequest(1, 2, 1), Serving(fakes::FakeServedBundle()), kLimits);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->heads, (std::vector<runtime::HeadQuery>{{.layer = 1, .head = 2, .member = 1}}));
  EXPECT_EQ(plan->input.row.values, (std::vector<float>{1.0f, 2.0f, 3.0f, 4.0f}));
  EXPECT_FALSE(plan->return_png);
}

TEST(PlanExplainTest, ReferenceOutOfRange_NamesTheField) {
  EXPECT_THAT(Violation(ImageRequest(2, 0, 0)), HasSubstr("heads[0].layer: got 2, want 0..1"));
  EXPECT_THAT(Violation(ImageRequest(0, 4, 0)), HasSubstr("heads[0].head: got 4, want 0..3"));
  EXPECT_THAT(Violation(ImageRequest(0, 0, 3)), HasSubstr("heads[0].member: got 3, want 0..2"));
}

TEST(PlanExplainTest, HeadThatNoMemberKeeps_IsRefusedByName) {
  v1::ExplainHeadsRequest request = ImageRequest(1, 1, 0);
  *request.add_heads() = ImageRequest(1, 3, 0).heads(0);
  EXPECT_THAT(Violation(request),
              HasSubstr("heads[1].head: got 3, which no member keeps in layer 1"));
}

TEST(PlanExplainTest, HeadThatOtherMembersKeep_NamesThem) {
  EXPECT_THAT(Violation(ImageRequest(1, 2, 0)),
              HasSubstr("which member 0 does not keep in layer 1; kept by 1, 2"));
}

TEST(PlanExplainTest, NumberOfHeads_IsBounded) {
  v1::ExplainHeadsRequest request = ImageRequest(0, 0, 0);
  for (size_t i = 0; i < kMaxExplainedHeads; ++i) *request.add_heads() = request.heads(0);
  EXPECT_THAT(Violation(request), HasSubstr("heads: got 65, want 1..64"));
  request.clear_heads();
  EXPECT_THAT(Violation(request), HasSubstr("heads: got 0, want 1..64"));
}

TEST(PlanExplainTest, Instance_IsCheckedUnderItsPath) {
  v1::ExplainHeadsRequest request = ImageRequest(0, 0, 0);
  request.clear_instance();
  EXPECT_THAT(Violation(request), HasSubstr("instance: "));
  request.mutable_instance()->set_text("play");
  EXPECT_THAT(Violation(request), HasSubstr("instance.text: "));
  request = ImageRequest(0, 0, 0);
  request.mutable_instance()->mutable_tensor()->set_data(
      fakes::FloatBytes({1.0f, 2.0f, 3.0f, std::nanf("")}));
  EXPECT_THAT(Violation(request), HasSubstr("instance.tensor.data: "));
}

TEST(PlanExplainTest, OtherModel_IsNotFound) {
  v1::ExplainHeadsRequest request = ImageRequest(0, 0, 0);
  request.set_model("another");
  EXPECT_TRUE(
      absl::IsNotFound(PlanExplain(request, Serving(fakes::FakeServedBundle()), kLimits).status()));
}

TEST(PlanExplainTest, Readers_AreUnimplemented) {
  policy::ServedBundle bundle = fakes::FakeServedBundle();
  bundle.manifest.member_mode = artifact::MemberMode::kReader;
  const absl::Status status =
      PlanExplain(ImageRequest(0, 0, 0), Serving(std::move(bundle)), kLimits).status();
  EXPECT_TRUE(absl::IsUnimplemented(status));
  EXPECT_EQ(base::ReasonOf(status), "READERS_HAVE_NO_MAPS");
}

TEST(PlanExplainTest, ShortText_IsRefusedBeforeTheModelRuns) {
  v1::ExplainHeadsRequest request = ImageRequest(0, 0, 0);
  request.mutable_instance()->set_text("play");
  const absl::Status status =
      PlanExplain(request, Serving(fakes::FakeTextBundle()), kLimits).status();
  EXPECT_EQ(base::ReasonOf(status), "TOO_FEW_TOKENS");
  EXPECT_EQ(base::FieldViolationsOf(status)[0].path, "instance.text");
  request.mutable_instance()->set_text("play music");
  EXPECT_TRUE(PlanExplain(request, Serving(fakes::FakeTextBundle()), kLimits).ok());
}

TEST(ExplainHeadTest, Attention_BecomesMapNumbersAndPicture) {
  v1::ExplainHeadsRequest request = ImageRequest(1, 2, 1);
  request.set_return_png(true);
  const auto plan = PlanExplain(request, Serving(fakes::FakeServedBundle()), kLimits);
  ASSERT_TRUE(plan.ok()) << plan.status();
  const auto attention = fakes::FakePredictor::Attention(plan->heads[0], 5);
  const auto out = ExplainHead(*plan, 0, attention);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(out->head().head(), 2u);
  EXPECT_EQ(out->head().member(), 1u);
  EXPECT_EQ(out->rows(), 2u);
  EXPECT_EQ(out->columns(), 2u);
  EXPECT_EQ(out->tokens(), 5u);
  EXPECT_EQ(out->values_size(), 12);
  const auto map = interpret::MapTokens(attention.probabilities, 5).value();
  ASSERT_EQ(out->coordinates_size(), 15);
  for (int i = 0; i < 15; ++i) EXPECT_EQ(out->coordinates(i), map.coordinates[i]);
  ASSERT_EQ(out->eigenvalues_size(), 5);
  EXPECT_NEAR(out->eigenvalues(0), 0.0, 1e-12);
  EXPECT_EQ(out->degenerate_size(), 3);
  EXPECT_EQ(out->png().substr(1, 3), "PNG");
}

TEST(ExplainHeadTest, AttentionThatHasNoMap_IsInternal) {
  const auto plan = PlanExplain(ImageRequest(0, 0, 0), Serving(fakes::FakeServedBundle()), kLimits);
  ASSERT_TRUE(plan.ok());
  runtime::HeadAttention attention = fakes::FakePredictor::Attention(plan->heads[0], 5);
  attention.probabilities[3] = std::nanf("");
  const absl::Status status = ExplainHead(*plan, 0, attention).status();
  EXPECT_TRUE(absl::IsInternal(status));
  EXPECT_EQ(base::ReasonOf(status), "EXPLAIN_FAILED");
}

}  // namespace
}  // namespace hydra::rpc
