#include "server/config/server_config.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hydra::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <typename Change>
std::string FaultOf(Change change) {
  ServerConfig config;
  change(config);
  return std::string(Validate(config).message());
}

TEST(ValidateTest, Defaults_AreValidAndOnLoopback) {
  const ServerConfig config;
  EXPECT_TRUE(Validate(config).ok()) << Validate(config);
  EXPECT_THAT(config.listen, HasSubstr("127.0.0.1:"));
  EXPECT_THAT(config.admin_listen, HasSubstr("127.0.0.1:"));
}

TEST(ValidateTest, ValueOutOfRange_IsNamed) {
  EXPECT_EQ(FaultOf([](ServerConfig& c) { c.batching.max_batch_rows = 0; }),
            "batching.max_batch_rows: got 0, want 1..1024");
  EXPECT_EQ(FaultOf([](ServerConfig& c) { c.batching.max_queue_delay = absl::Seconds(11); }),
            "batching.max_queue_delay_ms: got 11000, want 0..10000");
  EXPECT_THAT(FaultOf([](ServerConfig& c) {
                c.batching.ladder = {1, 8};
              }),
              HasSubstr("batching.ladder: got [1, 8], want ascending sizes"));
  EXPECT_THAT(FaultOf([](ServerConfig& c) { c.batching.ladder = {0, 32}; }), HasSubstr("ladder"));
  EXPECT_EQ(FaultOf([](ServerConfig& c) { c.queue.max_rows = 8; }),
            "queue.max_rows: got 8, want 32..1000000");
  EXPECT_EQ(FaultOf([](ServerConfig& c) { c.limits.max_instances = 33; }),
            "limits.max_instances: got 33, want 0..32");
  EXPECT_THAT(FaultOf([](ServerConfig& c) { c.limits.max_message_bytes = size_t{1} << 31; }),
              HasSubstr("limits.max_message_bytes: got 2147483648"));
  EXPECT_EQ(FaultOf([](ServerConfig& c) { c.rpc.threads = 0; }), "rpc.threads: got 0, want 1..256");
  EXPECT_THAT(FaultOf([](ServerConfig& c) { c.listen = "8001"; }), HasSubstr("listen: got"));
  EXPECT_THAT(FaultOf([](ServerConfig& c) { c.admin_listen = c.listen; }),
              HasSubstr("admin_listen: got 127.0.0.1:8001, want an address other than"));
}

TEST(ValidateTest, SystemPorts_MayBothBeZero) {
  ServerConfig config;
  config.listen = config.admin_listen = "127.0.0.1:0";
  EXPECT_TRUE(Validate(config).ok());
}

TEST(ValidateTest, SeveralFaults_AreAllTold) {
  const std::string faults = FaultOf([](ServerConfig& c) {
    c.queue.max_requests = 0;
    c.drain.grace = -absl::Seconds(1);
  });
  EXPECT_EQ(faults,
            "queue.max_requests: got 0, want 1..1000000\n"
            "drain.grace_ms: got -1000, want 0..3600000");
}

TEST(MaxInstancesOfTest, Default_IsTheLargestBatch) {
  ServerConfig config;
  config.batching.max_batch_rows = 8;
  EXPECT_EQ(MaxInstancesOf(config), 8u);
  config.limits.max_instances = 3;
  EXPECT_EQ(MaxInstancesOf(config), 3u);
}

TEST(LadderOfTest, Default_IsPowersOfTwoUpToTheLargestBatch) {
  EXPECT_THAT(LadderOf({.max_batch_rows = 1}), ElementsAre(1u));
  EXPECT_THAT(LadderOf({.max_batch_rows = 8}), ElementsAre(1u, 2u, 4u, 8u));
  EXPECT_THAT(LadderOf({.max_batch_rows = 12}), ElementsAre(1u, 2u, 4u, 8u, 12u));
  EXPECT_THAT(LadderOf({.max_batch_rows = 8, .ladder = {3, 8}}), ElementsAre(3u, 8u));
}

}  // namespace
}  // namespace hydra::config
