#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/client/cli/run_cli.h"

namespace hydra::cli {
namespace {

using Health = grpc::health::v1::HealthCheckResponse;
using ::testing::HasSubstr;

v1::Model SomeModel() {
  v1::Model model;
  model.mutable_reference()->set_name("fmnist");
  model.mutable_reference()->set_bundle_digest("sha256:ab");
  model.set_weights_digest("sha256:cd");
  model.set_state(v1::MODEL_STATE_ACTIVE);
  model.set_family("vit");
  model.mutable_geometry()->set_layers(6);
  model.mutable_geometry()->set_width(96);
  model.mutable_geometry()->set_heads(8);
  model.mutable_geometry()->set_head_width(12);
  model.mutable_geometry()->set_classes(25);
  model.set_members(3);
  model.set_branch_layer(2);
  model.set_weights_dtype("float32");
  model.set_serving_dtype("bfloat16");
  v1::ModelInput& input = *model.add_inputs();
  input.set_name("pixels");
  input.set_dtype("UINT8");
  for (const int size : {1, 28, 28}) input.add_shape(size);
  for (int c = 0; c < 25; ++c) model.add_labels(absl::StrCat("c", c));
  model.mutable_limits()->set_max_instances(32);
  model.mutable_limits()->set_max_message_bytes(64 << 20);
  model.mutable_limits()->set_max_image_bytes(16 << 20);
  model.mutable_limits()->set_max_image_pixels(1000);
  model.mutable_calibration()->set_temperature(1.0725);
  model.mutable_calibration()->set_default_score("mutual_information");
  model.mutable_provenance()->set_tool_version("0.1.0");
  model.mutable_provenance()->set_seed(7);
  return model;
}

std::shared_ptr<fakes::FakeConnection> Serving(const std::string& not_serving) {
  auto connection = std::make_shared<fakes::FakeConnection>();
  connection->get_model = [](const v1::GetModelRequest&) {
    v1::GetModelResponse response;
    *response.mutable_model() = SomeModel();
    return response;
  };
  connection->get_policy = [](const v1::GetPolicyRequest&) {
    v1::GetPolicyResponse response;
    response.mutable_policy()->set_revision(1);
    response.mutable_policy()->mutable_certificate()->set_state(v1::CERTIFICATE_STATE_VOID);
    return response;
  };
  connection->check_health = [=](const grpc::health::v1::HealthCheckRequest& request) {
    Health health;
    health.set_status(request.service() == not_serving ? Health::NOT_SERVING : Health::SERVING);
    return health;
  };
  return connection;
}

TEST(ModelTest, Run_Model_IsDescribed) {
  EXPECT_EQ(RunCli({"model"}, Serving("-")).out,
            "name         fmnist\n"
            "digest       sha256:ab\n"
            "weights      sha256:cd\n"
            "state        ACTIVE\n"
            "network      vit, 6 layers, width 96, 8 heads of 12, 25 classes\n"
            "ensemble     3 members, branch at layer 2, float32 weights, runs in bfloat16\n"
            "inputs       pixels UINT8 [1, 28, 28]\n"
            "labels       c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15, "
            "c16, c17, c18, c19, ... 25 in all\n"
            "limits       32 inputs a request, 64.0 MiB a message, 16.0 MiB and 1000 pixels an "
            "image\n"
            "calibration  temperature 1.073, cuts mutual_information by default\n"
            "made by      builder 0.1.0, seed 7\n");
}

TEST(StatusTest, Run_EverythingServes_IsOk) {
  const CliResult result = RunCli({"status"}, Serving("-"));
  EXPECT_EQ(result.code, ExitCode::kOk);
  EXPECT_THAT(result.out, HasSubstr("service                         health\n"));
  EXPECT_THAT(result.out, HasSubstr("(server)                        SERVING\n"));
  EXPECT_THAT(result.out, HasSubstr("model fmnist sha256:ab\n"
                                    "policy revision 1 (certificate VOID): accepts when none: "
                                    "everything is accepted\n"));
}

TEST(StatusTest, Run_OneServiceDoesNot_IsIncomplete) {
  const CliResult text = RunCli({"status"}, Serving("hydra.v1.PredictionService"));
  EXPECT_EQ(text.code, ExitCode::kIncomplete);
  EXPECT_THAT(text.out, HasSubstr("hydra.v1.PredictionService      NOT_SERVING\n"));
  const CliResult json = RunCli({"--json", "status"}, Serving("hydra.v1.PredictionService"));
  EXPECT_THAT(json.out, HasSubstr(R"({"ready":false,"services":{"":"SERVING",)"));
}

TEST(StatusTest, Run_NoServer_IsUnreachable) {
  auto connection = std::make_shared<fakes::FakeConnection>();
  connection->check_health = [](const auto&) { return absl::UnavailableError("nobody listens"); };
  const CliResult result = RunCli({"status"}, connection);
  EXPECT_EQ(result.code, ExitCode::kUnreachable);
  EXPECT_THAT(result.err, HasSubstr("nobody listens"));
}

}  // namespace
}  // namespace hydra::cli
