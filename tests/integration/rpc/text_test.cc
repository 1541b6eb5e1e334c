// Texts over the wire: answers, truncation, refusals and metadata of a text model.
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "grpcpp/generic/generic_stub.h"
#include "hydra/v1/model.grpc.pb.h"
#include "inference/grpc_service.grpc.pb.h"
#include "model/base/status_detail.h"
#include "tests/integration/rpc/rpc_fixture.h"

namespace hydra::rpc {
namespace {

using ::testing::ElementsAre;

class TextTest : public RpcFixture {
 protected:
  TextTest() { StartWithBatcher(nullptr, fakes::FakeTextBundle()); }

  static v1::PredictRequest Texts(const std::vector<std::string>& texts) {
    v1::PredictRequest request;
    for (const std::string& text : texts) request.add_instances()->set_text(text);
    return request;
  }

  std::string Refusal(const v1::PredictRequest& request) {
    const absl::Status status = Predict(request).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    const auto violations = base::FieldViolationsOf(status);
    return violations.empty() ? "" : violations[0].path + " " + base::ReasonOf(status);
  }
};

TEST_F(TextTest, Texts_AreAnsweredInOrderWithWhatWasCutOff) {
  const auto response =
      Predict(Texts({"play music", "", "playing", "stop now stop now stop now stop now"}));
  ASSERT_TRUE(response.ok()) << response.status();
  ASSERT_EQ(response->predictions_size(), 4);
  const double sums[] = {2 + 4 + 5 + 3, 2 + 3, 2 + 4 + 8 + 3, 2 + 3 * (6 + 7) + 3};
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(response->predictions(i).uncertainty().energy(), EnergyOfSum(sums[i]), 1e-4) << i;
    EXPECT_EQ(response->predictions(i).truncated_tokens(), i == 3 ? 2u : 0u) << i;
  }
  EXPECT_EQ(observer_.answers(), 4u);
  EXPECT_EQ(observer_.truncated_tokens(), 2u);
}

TEST_F(TextTest, ManyCallers_EachGetTheirOwnAnswer) {
  std::vector<std::jthread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([this, t] {
      std::string text;
      for (int words = 0; words < t % 7; ++words) text += "now ";
      for (int i = 0; i < 25; ++i) {
        const auto response = Predict(Texts({text}));
        ASSERT_TRUE(response.ok()) << response.status();
        EXPECT_NEAR(response->predictions(0).uncertainty().energy(), EnergyOfSum(5 + 7 * (t % 7)),
                    1e-4);
        EXPECT_EQ(Refusal(Texts({text, std::string(101, 'a')})), "instances[1].text TEXT_TOO_LONG");
      }
    });
  }
}

TEST_F(TextTest, OtherInputs_AreRefusedAsTheWrongKind) {
  v1::PredictRequest image;
  image.add_instances()->set_image(fakes::TinyPng());
  EXPECT_EQ(Refusal(image), "instances[0].image WRONG_INPUT_KIND");
  v1::PredictRequest tensor;
  AddValues({1, 0, 0, 0}, tensor);
  EXPECT_EQ(Refusal(tensor), "instances[0].tensor WRONG_INPUT_KIND");
  v1::PredictRequest nothing;
  nothing.add_instances();
  EXPECT_EQ(Refusal(nothing), "instances[0] NO_INPUT");
}

TEST_F(TextTest, AllowPartial_AnswersTheTextsThatFit) {
  v1::PredictRequest request = Texts({std::string(101, 'a'), "play music"});
  request.mutable_options()->set_allow_partial(true);
  const auto response = Predict(request);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->predictions(0).status().code(), 3);
  EXPECT_NEAR(response->predictions(1).uncertainty().energy(), EnergyOfSum(14), 1e-4);
}

// protobuf itself refuses a `string` that is not UTF-8, before the server sees the message.
TEST_F(TextTest, TextThatIsNotUtf8_IsRefusedAndTheServerGoesOn) {
  std::string bytes = Texts({"play XX"}).SerializeAsString();
  bytes.replace(bytes.find("XX"), 2, "\xff\xfe");
  const grpc::Slice slice(bytes);
  const grpc::ByteBuffer request(&slice, 1);
  grpc::GenericStub stub(channel_);
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  auto call =
      stub.PrepareUnaryCall(&context, "/hydra.v1.PredictionService/Predict", request, &queue);
  call->StartCall();
  grpc::ByteBuffer answer;
  grpc::Status status;
  call->Finish(&answer, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  ASSERT_TRUE(queue.Next(&tag, &ok));
  EXPECT_FALSE(status.ok());
  EXPECT_TRUE(Predict(Texts({"play music"})).ok());
}

TEST_F(TextTest, GetModel_PublishesKindAndLimits) {
  grpc::ClientContext context;
  v1::GetModelResponse response;
  ASSERT_TRUE(v1::ModelService::NewStub(channel_)->GetModel(&context, {}, &response).ok());
  EXPECT_EQ(response.model().input_kind(), v1::INPUT_KIND_TEXT);
  EXPECT_EQ(response.model().limits().max_tokens(), 8u);
  EXPECT_EQ(response.model().limits().max_text_bytes(), 100u);
}

TEST_F(TextTest, ModelInfer_TakesTextsAndSaysWhatWasCutOff) {
  const auto stub = inference::GRPCInferenceService::NewStub(channel_);
  inference::ModelMetadataRequest metadata_request;
  metadata_request.set_name("fake");
  grpc::ClientContext metadata_context;
  inference::ModelMetadataResponse metadata;
  ASSERT_TRUE(stub->ModelMetadata(&metadata_context, metadata_request, &metadata).ok());
  ASSERT_EQ(metadata.inputs_size(), 1);
  EXPECT_EQ(metadata.inputs(0).name(), "text");
  EXPECT_EQ(metadata.inputs(0).datatype(), "BYTES");
  EXPECT_THAT(metadata.inputs(0).shape(), ElementsAre(-1));

  inference::ModelInferRequest request;
  request.set_model_name("fake");
  auto& input = *request.add_inputs();
  input.set_name("text");
  input.set_datatype("BYTES");
  input.add_shape(2);
  input.mutable_contents()->add_bytes_contents("play music");
  input.mutable_contents()->add_bytes_contents("now now now now now now now");
  request.add_outputs()->set_name("truncated_tokens");
  request.add_outputs()->set_name("energy");
  grpc::ClientContext context;
  inference::ModelInferResponse response;
  const grpc::Status status = stub->ModelInfer(&context, request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  int64_t truncated[2];
  double energies[2];
  ASSERT_EQ(response.raw_output_contents(0).size(), sizeof(truncated));
  ASSERT_EQ(response.raw_output_contents(1).size(), sizeof(energies));
  std::memcpy(truncated, response.raw_output_contents(0).data(), sizeof(truncated));
  std::memcpy(energies, response.raw_output_contents(1).data(), sizeof(energies));
  EXPECT_THAT(truncated, ElementsAre(0, 1));
  EXPECT_NEAR(energies[0], EnergyOfSum(14), 1e-4);
  EXPECT_NEAR(energies[1], EnergyOfSum(5 + 6 * 7), 1e-4);
}

}  // namespace
}  // namespace hydra::rpc
