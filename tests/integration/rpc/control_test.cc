// Models, head maps, and the methods whose turn comes later.
#include <string>

#include "gmock/gmock.h"
#include "hydra/v1/feedback.grpc.pb.h"
#include "hydra/v1/head_map.grpc.pb.h"
#include "hydra/v1/model.grpc.pb.h"
#include "model/base/status_detail.h"
#include "tests/integration/rpc/rpc_fixture.h"

namespace hydra::rpc {
namespace {

class ControlTest : public RpcFixture {
 protected:
  ControlTest() {
    StartWith([](batching::Job) { return absl::UnavailableError("no model"); });
  }
};

TEST_F(ControlTest, GetModel_DescribesTheBundleByNameOrDigest) {
  const auto stub = v1::ModelService::NewStub(channel_);
  for (const std::string& name : {std::string(), std::string("fake"), std::string(64, 'd')}) {
    v1::GetModelRequest request;
    request.set_name(name);
    grpc::ClientContext context;
    v1::GetModelResponse response;
    ASSERT_TRUE(stub->GetModel(&context, request, &response).ok());
    EXPECT_EQ(response.model().reference().name(), "fake");
    EXPECT_EQ(response.model().limits().max_instances(), 8u);
    EXPECT_EQ(response.model().limits().max_message_bytes(), uint64_t{1} << 20);
  }
}

TEST_F(ControlTest, GetModel_OtherName_IsNotFound) {
  const auto stub = v1::ModelService::NewStub(channel_);
  v1::GetModelRequest request;
  request.set_name("../../etc/passwd");
  grpc::ClientContext context;
  v1::GetModelResponse response;
  const absl::Status status = client::StatusFromGrpc(stub->GetModel(&context, request, &response));
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(base::ReasonOf(status), "MODEL_NOT_FOUND");
}

TEST_F(ControlTest, ListModels_ShowsTheActiveOne) {
  const auto stub = v1::ModelService::NewStub(channel_);
  grpc::ClientContext context;
  v1::ListModelsResponse response;
  ASSERT_TRUE(stub->ListModels(&context, {}, &response).ok());
  ASSERT_EQ(response.models_size(), 1);
  EXPECT_EQ(response.models(0).state(), v1::MODEL_STATE_ACTIVE);
}

TEST_F(ControlTest, GetHeadMap_ShowsMembersAndLayers) {
  const auto stub = v1::HeadMapService::NewStub(channel_);
  grpc::ClientContext context;
  v1::GetHeadMapResponse response;
  ASSERT_TRUE(stub->GetHeadMap(&context, {}, &response).ok());
  EXPECT_EQ(response.layers_size(), 2);
  EXPECT_EQ(response.members(), 3u);
}

TEST_F(ControlTest, LaterMethods_AreUnimplementedWithDetails) {
  const auto models = v1::ModelService::NewStub(channel_);
  const auto feedback = v1::FeedbackService::NewStub(channel_);
  const auto expect_unimplemented = [](const grpc::Status& status) {
    const absl::Status converted = client::StatusFromGrpc(status);
    EXPECT_EQ(converted.code(), absl::StatusCode::kUnimplemented);
    EXPECT_EQ(base::ReasonOf(converted), "UNIMPLEMENTED");
  };
  grpc::ClientContext contexts[6];
  v1::LoadModelResponse loaded;
  expect_unimplemented(models->LoadModel(&contexts[0], {}, &loaded));
  v1::ActivateModelResponse activated;
  expect_unimplemented(models->ActivateModel(&contexts[1], {}, &activated));
  v1::RollbackModelResponse rolled;
  expect_unimplemented(models->RollbackModel(&contexts[2], {}, &rolled));
  v1::UnloadModelResponse unloaded;
  expect_unimplemented(models->UnloadModel(&contexts[3], {}, &unloaded));
  v1::ReportOutcomesResponse reported;
  expect_unimplemented(feedback->ReportOutcomes(&contexts[4], {}, &reported));
  v1::GetCalibrationResponse calibrated;
  expect_unimplemented(feedback->GetCalibration(&contexts[5], {}, &calibrated));
}

TEST_F(ControlTest, EveryCall_IsReportedUnderItsName) {
  const auto stub = v1::ModelService::NewStub(channel_);
  grpc::ClientContext context;
  v1::ListModelsResponse response;
  ASSERT_TRUE(stub->ListModels(&context, {}, &response).ok());
  v1::PredictRequest request;
  EXPECT_FALSE(Predict(request).ok());
  const auto calls = observer_.calls();
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].first, "hydra.v1.ModelService/ListModels");
  EXPECT_TRUE(calls[0].second.ok());
  EXPECT_EQ(calls[1].first, "hydra.v1.PredictionService/Predict");
  EXPECT_EQ(calls[1].second.code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace hydra::rpc
