// The Open Inference Protocol over the wire.
#include <cstring>
#include <string>

#include "gmock/gmock.h"
#include "inference/grpc_service.grpc.pb.h"
#include "model/base/status_detail.h"
#include "tests/integration/rpc/rpc_fixture.h"

namespace hydra::rpc {
namespace {

class OpenInferenceTest : public RpcFixture {
 protected:
  OpenInferenceTest() {
    StartWithBatcher();
    stub_ = inference::GRPCInferenceService::NewStub(channel_);
  }

  static inference::ModelInferRequest Request() {
    inference::ModelInferRequest request;
    request.set_model_name("fake");
    auto& input = *request.add_inputs();
    input.set_name("values");
    input.set_datatype("FP32");
    for (const int64_t dimension : {2, 1, 2, 2}) input.add_shape(dimension);
    request.add_raw_input_contents(fakes::FloatBytes({1, 0, 0, 0, 2, 0, 0, 0}));
    return request;
  }

  absl::StatusOr<inference::ModelInferResponse> Infer(const inference::ModelInferRequest& request) {
    grpc::ClientContext context;
    inference::ModelInferResponse response;
    const grpc::Status status = stub_->ModelInfer(&context, request, &response);
    if (!status.ok()) return client::StatusFromGrpc(status);
    return response;
  }

  std::unique_ptr<inference::GRPCInferenceService::Stub> stub_;
};

TEST_F(OpenInferenceTest, ModelInfer_AnswersEveryRow) {
  auto request = Request();
  request.add_outputs()->set_name("energy");
  const auto response = Infer(request);
  ASSERT_TRUE(response.ok()) << response.status();
  ASSERT_EQ(response->raw_output_contents_size(), 1);
  double energies[2];
  ASSERT_EQ(response->raw_output_contents(0).size(), sizeof(energies));
  std::memcpy(energies, response->raw_output_contents(0).data(), sizeof(energies));
  EXPECT_NEAR(energies[0] - energies[1], 1.0, 1e-4);
}

TEST_F(OpenInferenceTest, ModelInfer_UnknownTensor_NamesItsField) {
  auto request = Request();
  request.mutable_inputs(0)->set_name("input__0");
  const absl::Status status = Infer(request).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(base::FieldViolationsOf(status)[0].path, "inputs[0].name");
}

TEST_F(OpenInferenceTest, ReadyAndLive_FollowHealth) {
  const auto ready = [this] {
    grpc::ClientContext context;
    inference::ServerReadyResponse response;
    EXPECT_TRUE(stub_->ServerReady(&context, {}, &response).ok());
    return response.ready();
  };
  EXPECT_TRUE(ready());
  server_->SetHealth(Health::kNotServing);
  EXPECT_FALSE(ready());
  grpc::ClientContext context;
  inference::ServerLiveResponse live;
  ASSERT_TRUE(stub_->ServerLive(&context, {}, &live).ok());
  EXPECT_TRUE(live.live());
}

TEST_F(OpenInferenceTest, ModelReady_KnowsOnlyTheActiveModel) {
  inference::ModelReadyRequest request;
  request.set_name("fake");
  grpc::ClientContext context;
  inference::ModelReadyResponse response;
  ASSERT_TRUE(stub_->ModelReady(&context, request, &response).ok());
  EXPECT_TRUE(response.ready());
  request.set_name("other");
  grpc::ClientContext other_context;
  EXPECT_EQ(stub_->ModelReady(&other_context, request, &response).error_code(),
            grpc::StatusCode::NOT_FOUND);
}

TEST_F(OpenInferenceTest, Metadata_DescribesServerAndModel) {
  grpc::ClientContext server_context;
  inference::ServerMetadataResponse server;
  ASSERT_TRUE(stub_->ServerMetadata(&server_context, {}, &server).ok());
  EXPECT_EQ(server.name(), "hydra-server");
  EXPECT_EQ(server.version(), "test");
  inference::ModelMetadataRequest request;
  request.set_name("fake");
  grpc::ClientContext context;
  inference::ModelMetadataResponse model;
  ASSERT_TRUE(stub_->ModelMetadata(&context, request, &model).ok());
  EXPECT_EQ(model.inputs_size(), 3);
}

TEST_F(OpenInferenceTest, ModelStreamInfer_IsUnimplemented) {
  grpc::ClientContext context;
  auto stream = stub_->ModelStreamInfer(&context);
  stream->WritesDone();
  inference::ModelStreamInferResponse response;
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::UNIMPLEMENTED);
}

}  // namespace
}  // namespace hydra::rpc
