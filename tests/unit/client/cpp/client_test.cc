#include "client/cpp/client.h"

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/fakes/fake_connection.h"

namespace hydra::client {
namespace {

using ::testing::HasSubstr;

TEST(ClientTest, Create_InvalidOptions_AreRefused) {
  EXPECT_EQ(Client::Create({.endpoint = ""}).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(ClientTest, Predict_AnswersMissing_IsInternal) {
  auto connection = std::make_shared<fakes::FakeConnection>();
  connection->predict = [](const v1::PredictRequest&) { return v1::PredictResponse(); };
  v1::PredictRequest request;
  request.add_instances()->set_text("a");
  const auto response = Client(connection).Predict(request);
  EXPECT_EQ(response.status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(response.status().message(), HasSubstr("answered 0 predictions, want 1"));
}

TEST(ClientTest, ListPolicyRevisions_SeveralPages_AreJoinedUpToTheLimit) {
  auto connection = std::make_shared<fakes::FakeConnection>();
  std::vector<std::string> tokens;
  connection->list_revisions = [&](const v1::ListPolicyRevisionsRequest& request) {
    tokens.push_back(request.page_token());
    v1::ListPolicyRevisionsResponse page;
    for (int i = 0; i < 2; ++i) page.add_policies()->set_revision(9 - 2 * tokens.size() - i);
    page.set_next_page_token(absl::StrCat("t", tokens.size()));
    return page;
  };
  const auto policies = Client(connection).ListPolicyRevisions(3);
  ASSERT_TRUE(policies.ok());
  ASSERT_EQ(policies->size(), 3u);
  EXPECT_EQ(policies->back().revision(), 5u);
  EXPECT_THAT(tokens, ::testing::ElementsAre("", "t1"));
}

TEST(ClientTest, ListPolicyRevisions_EmptyPageWithToken_Ends) {
  auto connection = std::make_shared<fakes::FakeConnection>();
  connection->list_revisions = [](const v1::ListPolicyRevisionsRequest&) {
    v1::ListPolicyRevisionsResponse page;
    page.set_next_page_token("again");
    return page;
  };
  const auto policies = Client(connection).ListPolicyRevisions(10);
  ASSERT_TRUE(policies.ok());
  EXPECT_TRUE(policies->empty());
}

TEST(ClientTest, CheckHealth_Answer_IsTheServiceStatus) {
  auto connection = std::make_shared<fakes::FakeConnection>();
  connection->check_health = [](const grpc::health::v1::HealthCheckRequest& request) {
    EXPECT_EQ(request.service(), "hydra.v1.PredictionService");
    grpc::health::v1::HealthCheckResponse response;
    response.set_status(grpc::health::v1::HealthCheckResponse::NOT_SERVING);
    return response;
  };
  EXPECT_EQ(*Client(connection).CheckHealth("hydra.v1.PredictionService"),
            grpc::health::v1::HealthCheckResponse::NOT_SERVING);
}

}  // namespace
}  // namespace hydra::client
