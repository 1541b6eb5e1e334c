#include "server/rpc/predict/predict_conversion.h"

#include <cmath>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/status_detail.h"
#include "tests/fakes/fake_bundle.h"
#include "tests/fakes/request_bytes.h"

namespace hydra::rpc {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

void SetTensor(v1::TensorDataType dtype, const std::string& data, v1::Instance& out) {
  v1::Tensor& tensor = *out.mutable_tensor();
  tensor.set_dtype(dtype);
  for (const int64_t dimension : {1, 2, 2}) tensor.add_shape(dimension);
  tensor.set_data(data);
}

void AddValues(std::vector<float> values, v1::PredictRequest& request) {
  SetTensor(v1::TENSOR_DATA_TYPE_FP32, fakes::FloatBytes(values), *request.add_instances());
}

class PredictConversionTest : public ::testing::Test {
 protected:
  static std::shared_ptr<const policy::Snapshot> Snapshot(size_t members) {
    return std::make_shared<const policy::Snapshot>(policy::Snapshot{
        .bundle = std::make_shared<const policy::ServedBundle>(fakes::FakeServedBundle(members)),
        .policy = {.rules = {.scores = {{uncertainty::Score::kOneMinusConfidence, 0.3}}},
                   .revision = 5}});
  }

  absl::StatusOr<PredictPlan> Plan(const v1::PredictRequest& request, size_t members = 2) {
    return PlanPredict(request, Snapshot(members), limits_);
  }

  // The path of the only violation, with the reason.
  std::string Refusal(const v1::PredictRequest& request) {
    const absl::Status status = Plan(request).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    const auto violations = base::FieldViolationsOf(status);
    EXPECT_EQ(violations.size(), 1u);
    return violations.empty() ? "" : violations[0].path + " " + base::ReasonOf(status);
  }

  std::string RefusalOf(const v1::Instance& instance) {
    v1::PredictRequest request;
    AddValues({0, 0, 0, 0}, request);
    *request.add_instances() = instance;
    return Refusal(request);
  }

  const RequestLimits limits_{.max_instances = 4,
                              .image = {.max_bytes = 1000, .max_pixels = 100, .max_side = 16}};
};

TEST_F(PredictConversionTest, Instances_BecomeRowsInOrder) {
  v1::PredictRequest request;
  AddValues({1, 2, 3, 4}, request);
  request.add_instances()->set_image(fakes::TinyPng());
  request.set_request_id("r-1");
  const auto plan = Plan(request);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->inputs.count, 2u);
  ASSERT_EQ(plan->inputs.rows.values.size(), 8u);
  EXPECT_EQ(plan->inputs.rows.values[3], 4.0f);
  EXPECT_EQ(plan->inputs.rows.values[4], -1.0f);
  EXPECT_EQ(plan->request_id, "r-1");
  EXPECT_EQ(plan->top_k, 1u);
}

TEST_F(PredictConversionTest, BatchSize_IsBounded) {
  v1::PredictRequest request;
  EXPECT_EQ(Refusal(request), "instances EMPTY_BATCH");
  for (int i = 0; i < 5; ++i) AddValues({0, 0, 0, 0}, request);
  EXPECT_EQ(Refusal(request), "instances BATCH_TOO_LARGE");
  EXPECT_THAT(base::MetadataOf(Plan(request).status()), Contains(Pair("max_instances", "4")));
}

TEST_F(PredictConversionTest, BadInstances_NameTheirField) {
  v1::Instance instance;
  EXPECT_EQ(RefusalOf(instance), "instances[1] NO_INPUT");
  instance.set_text("hello");
  EXPECT_EQ(RefusalOf(instance), "instances[1].text WRONG_INPUT_KIND");
  instance.set_image("hello");
  EXPECT_EQ(RefusalOf(instance), "instances[1].image BAD_IMAGE");
  instance.mutable_tensor();
  EXPECT_EQ(RefusalOf(instance), "instances[1].tensor.shape WRONG_SHAPE");
  SetTensor(v1::TENSOR_DATA_TYPE_UNSPECIFIED, "1234", instance);
  instance.mutable_tensor()->mutable_shape()->Truncate(3);
  EXPECT_EQ(RefusalOf(instance), "instances[1].tensor.dtype WRONG_DTYPE");
  instance.mutable_tensor()->set_dtype(static_cast<v1::TensorDataType>(99));
  EXPECT_EQ(RefusalOf(instance), "instances[1].tensor.dtype WRONG_DTYPE");
  instance.mutable_tensor()->set_dtype(v1::TENSOR_DATA_TYPE_FP32);
  EXPECT_EQ(RefusalOf(instance), "instances[1].tensor.data WRONG_BYTE_COUNT");
  instance.mutable_tensor()->set_data(fakes::FloatBytes({0, NAN, 0, 0}));
  EXPECT_EQ(RefusalOf(instance), "instances[1].tensor.data NON_FINITE_INPUT");
}

TEST_F(PredictConversionTest, SeveralBadInstances_AreAllNamed) {
  v1::PredictRequest request;
  request.add_instances()->set_image("x");
  AddValues({0, 0, 0, 0}, request);
  request.add_instances();
  const absl::Status status = Plan(request).status();
  EXPECT_THAT(status.message(), HasSubstr("(and 1 more)"));
  const auto violations = base::FieldViolationsOf(status);
  ASSERT_EQ(violations.size(), 2u);
  EXPECT_EQ(violations[0].path, "instances[0].image");
  EXPECT_EQ(violations[1].path, "instances[2]");
}

TEST_F(PredictConversionTest, AllowPartial_KeepsTheUsableRows) {
  v1::PredictRequest request;
  request.add_instances()->set_image("x");
  AddValues({1, 2, 3, 4}, request);
  request.mutable_options()->set_allow_partial(true);
  const auto plan = Plan(request);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->inputs.count, 1u);
  request.mutable_instances()->RemoveLast();
  EXPECT_EQ(Refusal(request), "instances[0].image BAD_IMAGE");
}

TEST_F(PredictConversionTest, Options_AreChecked) {
  v1::PredictRequest request;
  AddValues({0, 0, 0, 0}, request);
  request.mutable_options()->set_top_k(4'000'000'000u);
  EXPECT_EQ(Plan(request)->top_k, 3u);
  request.mutable_options()->set_conformal_alpha(0.2);
  EXPECT_EQ(Refusal(request), "options.conformal_alpha UNKNOWN_ALPHA");
  request.mutable_options()->set_conformal_alpha(NAN);
  EXPECT_EQ(Refusal(request), "options.conformal_alpha UNKNOWN_ALPHA");
  request.mutable_options()->set_conformal_alpha(0.1);
  EXPECT_TRUE(Plan(request).ok());
  request.set_request_id("a\tb");
  EXPECT_EQ(Refusal(request), "request_id BAD_REQUEST_ID");
}

class MakePredictResponseTest : public PredictConversionTest {
 protected:
  // One row; members answer with a strong class 1 and then, if they kDiffer, class 2.
  enum class Votes { kDiffer, kAgree };
  v1::PredictResponse Respond(const v1::PredictOptions& options, Votes votes, size_t members = 2) {
    v1::PredictRequest request;
    AddValues({0, 0, 0, 0}, request);
    *request.mutable_options() = options;
    request.set_request_id("r-2");
    const auto plan = Plan(request, members);
    EXPECT_TRUE(plan.ok()) << plan.status();
    batching::JobResult result{.member_logits = {0, 9, 1}};
    if (members == 2) {
      const std::vector<float> second =
          votes == Votes::kAgree ? std::vector<float>{0, 9, 1} : std::vector<float>{0, 1, 9};
      result.member_logits.insert(result.member_logits.end(), second.begin(), second.end());
    }
    const auto rows = AnswerJob(result, {0}, *plan->snapshot);
    EXPECT_TRUE(rows.ok()) << rows.status();
    return MakePredictResponse(*plan, *rows,
                               {.decode = absl::Milliseconds(1),
                                .job = {.queue = absl::Milliseconds(2)},
                                .total = absl::Milliseconds(1500)});
  }
};

TEST_F(MakePredictResponseTest, Accepted_HasClassesUncertaintyAndDecision) {
  v1::PredictOptions options;
  options.set_top_k(2);
  const v1::PredictResponse response = Respond(options, Votes::kAgree);
  ASSERT_EQ(response.predictions_size(), 1);
  const v1::Prediction& prediction = response.predictions(0);
  ASSERT_EQ(prediction.top_size(), 2);
  EXPECT_EQ(prediction.top(0).label(), "dog");
  EXPECT_EQ(prediction.top(0).index(), 1u);
  EXPECT_EQ(prediction.top(1).label(), "owl");
  EXPECT_GT(prediction.top(0).probability(), 0.99);
  EXPECT_TRUE(prediction.uncertainty().has_epistemic_nats());
  EXPECT_EQ(prediction.uncertainty().disagreement(), 0.0);
  EXPECT_FALSE(prediction.uncertainty().has_novelty());
  EXPECT_EQ(prediction.decision().outcome(), v1::DECISION_OUTCOME_PREDICTED);
  EXPECT_EQ(prediction.decision().reason(), v1::ABSTENTION_REASON_UNSPECIFIED);
  EXPECT_EQ(prediction.decision().score_name(), "one_minus_confidence");
  EXPECT_EQ(prediction.decision().threshold(), 0.3);
  ASSERT_EQ(prediction.conformal_set_size(), 1);
  EXPECT_EQ(prediction.members_size(), 0);
  EXPECT_FALSE(prediction.has_status());
}

TEST_F(MakePredictResponseTest, Envelope_NamesModelPolicyAndRequest) {
  const v1::PredictResponse response = Respond({}, Votes::kAgree);
  EXPECT_EQ(response.model().name(), "fake");
  EXPECT_EQ(response.model().bundle_digest(), std::string(64, 'd'));
  EXPECT_EQ(response.policy().revision(), 5u);
  EXPECT_EQ(response.policy().certificate_state(), v1::CERTIFICATE_STATE_VOID);
  EXPECT_EQ(response.members_used(), 2u);
  EXPECT_EQ(response.request_id(), "r-2");
  EXPECT_FALSE(response.has_timings());
}

TEST_F(MakePredictResponseTest, Abstention_IsAnAnswerWithItsReason) {
  const v1::Prediction prediction = Respond({}, Votes::kDiffer).predictions(0);
  EXPECT_EQ(prediction.decision().outcome(), v1::DECISION_OUTCOME_ABSTAINED);
  EXPECT_EQ(prediction.decision().reason(), v1::ABSTENTION_REASON_LOW_CONFIDENCE);
  EXPECT_GT(prediction.decision().score(), 0.3);
  EXPECT_EQ(prediction.top_size(), 1);
}

TEST_F(MakePredictResponseTest, WithholdOnAbstain_EmptiesOnlyAbstentions) {
  v1::PredictOptions options;
  options.set_withhold_on_abstain(true);
  options.set_return_members(true);
  const v1::Prediction abstained = Respond(options, Votes::kDiffer).predictions(0);
  EXPECT_EQ(abstained.top_size(), 0);
  EXPECT_EQ(abstained.members_size(), 0);
  EXPECT_TRUE(abstained.has_uncertainty());
  EXPECT_EQ(Respond(options, Votes::kAgree).predictions(0).top_size(), 1);
}

TEST_F(MakePredictResponseTest, ReturnMembers_ShowsEachMembersOwnAnswer) {
  v1::PredictOptions options;
  options.set_return_members(true);
  const v1::Prediction prediction = Respond(options, Votes::kDiffer).predictions(0);
  ASSERT_EQ(prediction.members_size(), 2);
  EXPECT_EQ(prediction.members(0).top().label(), "dog");
  EXPECT_EQ(prediction.members(1).top().label(), "owl");
  EXPECT_EQ(prediction.members(1).probabilities_size(), 3);
  EXPECT_GT(prediction.members(1).entropy_nats(), 0.0);
  EXPECT_LT(prediction.members(1).entropy_nats(), prediction.uncertainty().total_nats());
}

TEST_F(MakePredictResponseTest, OneMember_LeavesComparisonsUnset) {
  const v1::Uncertainty uncertainty = Respond({}, Votes::kAgree, 1).predictions(0).uncertainty();
  EXPECT_FALSE(uncertainty.has_epistemic_nats());
  EXPECT_FALSE(uncertainty.has_disagreement());
  EXPECT_FALSE(uncertainty.has_variation_ratio());
  EXPECT_GT(uncertainty.confidence(), 0.9);
}

TEST_F(MakePredictResponseTest, ReturnTimings_ShowsWhereTheTimeWent) {
  v1::PredictOptions options;
  options.set_return_timings(true);
  const v1::Timings timings = Respond(options, Votes::kAgree).timings();
  EXPECT_EQ(timings.decode().nanos(), 1'000'000);
  EXPECT_EQ(timings.queue().nanos(), 2'000'000);
  EXPECT_EQ(timings.total().seconds(), 1);
  EXPECT_EQ(timings.total().nanos(), 500'000'000);
}

TEST_F(MakePredictResponseTest, FailedInstance_HasOnlyItsStatus) {
  v1::PredictRequest request;
  request.add_instances()->set_image("x");
  AddValues({0, 0, 0, 0}, request);
  request.mutable_options()->set_allow_partial(true);
  const auto plan = Plan(request);
  const auto rows = AnswerJob({.member_logits = {0, 9, 1, 0, 9, 1}}, {0}, *plan->snapshot);
  const v1::PredictResponse response = MakePredictResponse(*plan, *rows, {});
  ASSERT_EQ(response.predictions_size(), 2);
  EXPECT_EQ(response.predictions(0).status().code(), 3);
  EXPECT_EQ(response.predictions(0).top_size(), 0);
  EXPECT_FALSE(response.predictions(1).has_status());
  EXPECT_EQ(response.predictions(1).top(0).label(), "dog");
}

}  // namespace
}  // namespace hydra::rpc
