#include "server/observability/admin_server.h"

#include <httplib.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hydra::observability {
namespace {

using ::testing::HasSubstr;

class AdminServerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto server = AdminServer::Start(
        "127.0.0.1:0",
        {.metrics = [] { return std::string("hydra_ready 1\n"); },
         .live = [] { return absl::OkStatus(); },
         .ready = [this] { return ready_ ? absl::OkStatus() : absl::UnavailableError("draining"); },
         .version = [] { return std::string("{\"version\":\"1\"}"); }});
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }

  httplib::Client Client() { return httplib::Client("127.0.0.1", server_->port()); }

  std::atomic<bool> ready_ = true;
  std::unique_ptr<AdminServer> server_;
};

TEST_F(AdminServerTest, EveryPath_IsAnswered) {
  httplib::Client client = Client();
  const auto metrics = client.Get("/metrics");
  ASSERT_TRUE(metrics);
  EXPECT_EQ(metrics->body, "hydra_ready 1\n");
  EXPECT_THAT(metrics->get_header_value("Content-Type"), HasSubstr("version=0.0.4"));
  EXPECT_EQ(client.Get("/livez")->status, 200);
  EXPECT_EQ(client.Get("/version")->body, "{\"version\":\"1\"}");
  EXPECT_EQ(client.Get("/nothing")->status, 404);
  EXPECT_EQ(client.Post("/metrics", "x", "text/plain")->status, 404);
}

TEST_F(AdminServerTest, NotReady_Is503WithTheReason) {
  httplib::Client client = Client();
  EXPECT_EQ(client.Get("/readyz")->status, 200);
  ready_ = false;
  const auto answer = client.Get("/readyz");
  EXPECT_EQ(answer->status, 503);
  EXPECT_EQ(answer->body, "draining\n");
}

TEST_F(AdminServerTest, LargeBody_IsRefused) {
  httplib::Client client = Client();
  const auto answer = client.Post("/metrics", std::string(100'000, 'x'), "text/plain");
  EXPECT_TRUE(!answer || answer->status >= 400);
  EXPECT_EQ(client.Get("/livez")->status, 200);
}

TEST_F(AdminServerTest, ManyClients_AreAnswered) {
  std::atomic<int> answered = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      httplib::Client client = Client();
      for (int j = 0; j < 10; ++j) {
        const auto answer = client.Get("/metrics");
        answered += answer && answer->status == 200;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(answered, 80);
}

TEST_F(AdminServerTest, PortInUse_IsRefused) {
  const std::string address = "127.0.0.1:" + std::to_string(server_->port());
  const absl::Status status = AdminServer::Start(address, {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr(address));
}

TEST(AdminServerStartTest, BadAddress_IsRefused) {
  EXPECT_EQ(AdminServer::Start("nowhere", {}).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(AdminServerStartTest, StopAtOnce_DoesNotHang) {
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(AdminServer::Start("127.0.0.1:0", {}).ok());
}

}  // namespace
}  // namespace hydra::observability
