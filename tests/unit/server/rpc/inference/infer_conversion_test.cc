#include "server/rpc/inference/infer_conversion.h"

#include <cstring>
#include <map>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/status_detail.h"
#include "tests/fakes/fake_bundle.h"
#include "tests/fakes/request_bytes.h"

namespace hydra::rpc {
namespace {

using ::testing::ElementsAre;

constexpr RequestLimits kLimits{.max_instances = 4,
                                .image = {.max_bytes = 1000, .max_pixels = 100, .max_side = 16}};

std::shared_ptr<const policy::Snapshot> SnapshotOf(size_t members) {
  return std::make_shared<const policy::Snapshot>(policy::Snapshot{
      .bundle = std::make_shared<const policy::ServedBundle>(fakes::FakeServedBundle(members)),
      .policy = {.rules = {.scores = {{uncertainty::Score::kOneMinusConfidence, 0.3}}},
                 .revision = 5}});
}

inference::ModelInferRequest TwoRowRequest() {
  inference::ModelInferRequest request;
  request.set_model_name("fake");
  request.set_id("i-1");
  auto& input = *request.add_inputs();
  input.set_name("values");
  input.set_datatype("FP32");
  for (const int64_t dimension : {2, 1, 2, 2}) input.add_shape(dimension);
  request.add_raw_input_contents(std::string(32, '\0'));
  return request;
}

// [M = 2, B = 2, C = 3]: sure of class 1, then of nothing.
batching::JobResult TwoRows() {
  return {.member_logits = {0, 9, 0, /**/ 9, 0, 0, /**/ 0, 9, 0, /**/ 0, 0, 9}};
}

inference::ModelInferResponse Respond(const inference::ModelInferRequest& request) {
  const auto plan = PlanInfer(request, SnapshotOf(2), kLimits);
  EXPECT_TRUE(plan.ok()) << plan.status();
  const auto rows = AnswerJob(TwoRows(), {0, 0}, *plan->snapshot);
  EXPECT_TRUE(rows.ok()) << rows.status();
  return MakeInferResponse(*plan, *rows);
}

std::map<std::string, std::string> RawByName(const inference::ModelInferResponse& response) {
  std::map<std::string, std::string> raw;
  for (int i = 0; i < response.outputs_size(); ++i) {
    raw[response.outputs(i).name()] = response.raw_output_contents(i);
  }
  return raw;
}

template <typename Number>
Number At(const std::string& raw, size_t index) {
  Number value;
  std::memcpy(&value, raw.data() + index * sizeof(Number), sizeof(Number));
  return value;
}

TEST(MakeInferResponseTest, AllOutputs_CarryAnswersAndUncertainty) {
  const inference::ModelInferResponse response = Respond(TwoRowRequest());
  EXPECT_EQ(response.model_name(), "fake");
  EXPECT_EQ(response.model_version(), std::string(64, 'd'));
  EXPECT_EQ(response.id(), "i-1");
  EXPECT_EQ(response.parameters().at("policy_revision").uint64_param(), 5u);
  EXPECT_EQ(response.parameters().at("certificate_state").string_param(), "VOID");
  auto raw = RawByName(response);
  EXPECT_EQ(raw["probabilities"].size(), 2 * 3 * sizeof(float));
  EXPECT_GT(At<float>(raw["probabilities"], 1), 0.99f);
  EXPECT_EQ(At<int64_t>(raw["class_index"], 0), 1);
  EXPECT_EQ(raw["label"].substr(0, 7), std::string("\x03\0\0\0dog", 7));
  EXPECT_EQ(raw["abstained"], std::string("\x00\x01", 2));
  EXPECT_EQ(raw["abstention_reason"], std::string("\0\0\0\0\x0e\0\0\0LOW_CONFIDENCE", 22));
  EXPECT_LT(At<double>(raw["epistemic_nats"], 0), 0.01);
  EXPECT_GT(At<double>(raw["epistemic_nats"], 1), 0.5);
  EXPECT_EQ(At<double>(raw["disagreement"], 1), 1.0);
}

TEST(MakeInferResponseTest, AskedOutputs_ComeAloneAndInOrder) {
  auto request = TwoRowRequest();
  request.add_outputs()->set_name("total_nats");
  request.add_outputs()->set_name("probabilities");
  const inference::ModelInferResponse response = Respond(request);
  ASSERT_EQ(response.outputs_size(), 2);
  EXPECT_EQ(response.outputs(0).name(), "total_nats");
  EXPECT_THAT(response.outputs(0).shape(), ElementsAre(2));
  EXPECT_EQ(response.outputs(1).datatype(), "FP32");
  EXPECT_THAT(response.outputs(1).shape(), ElementsAre(2, 3));
  EXPECT_EQ(response.raw_output_contents_size(), 2);
}

TEST(PlanInferTest, UnknownOrRepeatedOutputs_AreRefused) {
  auto request = TwoRowRequest();
  request.add_outputs()->set_name("logits");
  EXPECT_EQ(base::FieldViolationsOf(PlanInfer(request, SnapshotOf(2), kLimits).status())[0].path,
            "outputs[0].name");
  request.mutable_outputs(0)->set_name("label");
  request.add_outputs()->set_name("label");
  EXPECT_EQ(base::ReasonOf(PlanInfer(request, SnapshotOf(2), kLimits).status()),
            "DUPLICATE_TENSOR");
}

TEST(PlanInferTest, MemberComparisonOfOneMember_IsUnknown) {
  auto request = TwoRowRequest();
  request.add_outputs()->set_name("epistemic_nats");
  EXPECT_EQ(base::ReasonOf(PlanInfer(request, SnapshotOf(1), kLimits).status()), "UNKNOWN_TENSOR");
}

TEST(PlanInferTest, OtherModelOrVersion_IsNotFound) {
  auto request = TwoRowRequest();
  request.set_model_version(std::string(64, 'd'));
  EXPECT_TRUE(PlanInfer(request, SnapshotOf(2), kLimits).ok());
  request.set_model_version("1");
  EXPECT_EQ(PlanInfer(request, SnapshotOf(2), kLimits).status().code(),
            absl::StatusCode::kNotFound);
  request.clear_model_version();
  request.set_model_name("other");
  EXPECT_EQ(base::ReasonOf(PlanInfer(request, SnapshotOf(2), kLimits).status()), "MODEL_NOT_FOUND");
}

TEST(MakeModelMetadataTest, Metadata_ListsWhatRequestsMayUse) {
  const auto three = MakeModelMetadata(fakes::FakeServedBundle(3));
  EXPECT_EQ(three.name(), "fake");
  ASSERT_EQ(three.inputs_size(), 3);
  EXPECT_EQ(three.inputs(2).name(), "values");
  EXPECT_THAT(three.inputs(2).shape(), ElementsAre(-1, 1, 2, 2));
  EXPECT_THAT(three.outputs(0).shape(), ElementsAre(-1, 3));
  EXPECT_EQ(three.outputs_size(), MakeModelMetadata(fakes::FakeServedBundle(1)).outputs_size() + 3);
}

}  // namespace
}  // namespace hydra::rpc
