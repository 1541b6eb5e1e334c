#include "server/config/server_config.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/config/host_port.h"

namespace hydra::config {
namespace {

// Collects one line per fault, so that an operator mends a file in one go.
class Faults {
 public:
  void Range(absl::string_view key, size_t got, size_t least, size_t most) {
    if (got < least || got > most) Add(key, absl::StrCat(got), absl::StrCat(least, "..", most));
  }

  void Range(absl::string_view key, absl::Duration got, absl::Duration least, absl::Duration most) {
    if (got >= least && got <= most) return;
    Add(key, absl::StrCat(absl::ToDoubleMilliseconds(got)),
        absl::StrCat(absl::ToInt64Milliseconds(least), "..", absl::ToInt64Milliseconds(most)));
  }

  void Address(absl::string_view key, const std::string& address) {
    const auto parsed = ParseHostPort(address);
    if (!parsed.ok()) lines_.push_back(absl::StrCat(key, ": ", parsed.status().message()));
  }

  void Add(absl::string_view key, absl::string_view got, absl::string_view want) {
    lines_.push_back(absl::StrCat(key, ": got ", got, ", want ", want));
  }

  absl::Status Status() const {
    if (lines_.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrJoin(lines_, "\n"));
  }

 private:
  std::vector<std::string> lines_;
};

constexpr size_t kMostBytes = size_t{1} << 40;
// gRPC holds message sizes in an int.
constexpr size_t kMostMessageBytes = (size_t{1} << 31) - 1;

void CheckBatching(const ServerConfig& config, Faults& faults) {
  const BatchingConfig& batching = config.batching;
  faults.Range("batching.max_batch_rows", batching.max_batch_rows, 1, 1024);
  faults.Range("batching.max_queue_delay_ms", batching.max_queue_delay, absl::ZeroDuration(),
               absl::Seconds(10));
  faults.Range("batching.max_tokens", batching.max_tokens, 1, size_t{1} << 20);
  const std::vector<size_t>& ladder = batching.ladder;
  const bool ascending =
      std::adjacent_find(ladder.begin(), ladder.end(), std::greater_equal<>()) == ladder.end();
  if (!ladder.empty() &&
      (ladder.front() == 0 || !ascending || ladder.back() != batching.max_batch_rows)) {
    faults.Add("batching.ladder", absl::StrCat("[", absl::StrJoin(ladder, ", "), "]"),
               absl::StrCat("ascending sizes from 1 that end with batching.max_batch_rows = ",
                            batching.max_batch_rows));
  }
  faults.Range("queue.max_requests", config.queue.max_requests, 1, 1'000'000);
  faults.Range("queue.max_rows", config.queue.max_rows, batching.max_batch_rows, 1'000'000);
  faults.Range("queue.max_bytes", config.queue.max_bytes, 1, kMostBytes);
  faults.Range("lanes.count", config.lanes.count, 0, 256);
  faults.Range("lanes.threads_per_lane", config.lanes.threads_per_lane, 0, 256);
}

void CheckLimits(const ServerConfig& config, Faults& faults) {
  const LimitsConfig& limits = config.limits;
  faults.Range("limits.max_instances", limits.max_instances, 0, config.batching.max_batch_rows);
  faults.Range("limits.max_message_bytes", limits.max_message_bytes, 1024, kMostMessageBytes);
  faults.Range("limits.max_image_bytes", limits.max_image_bytes, 1, limits.max_message_bytes);
  faults.Range("limits.max_image_pixels", limits.max_image_pixels, 1, size_t{1} << 30);
  faults.Range("limits.max_image_side", limits.max_image_side, 1, 65535);
  faults.Range("limits.max_text_bytes", limits.max_text_bytes, 1, limits.max_message_bytes);
}

void CheckRpc(const RpcConfig& rpc, Faults& faults) {
  constexpr absl::Duration kSecond = absl::Seconds(1);
  constexpr absl::Duration kDay = absl::Hours(24);
  faults.Range("rpc.threads", rpc.threads, 1, 256);
  faults.Range("rpc.memory_quota_bytes", rpc.memory_quota_bytes, size_t{1} << 20, kMostBytes);
  faults.Range("rpc.max_concurrent_streams", rpc.max_concurrent_streams, 1, 1'000'000);
  faults.Range("rpc.max_connection_idle_ms", rpc.max_connection_idle, kSecond, kDay);
  faults.Range("rpc.max_connection_age_ms", rpc.max_connection_age, kSecond, kDay);
  faults.Range("rpc.max_connection_age_grace_ms", rpc.max_connection_age_grace, kSecond, kDay);
  faults.Range("rpc.keepalive_time_ms", rpc.keepalive_time, kSecond, kDay);
  faults.Range("rpc.keepalive_timeout_ms", rpc.keepalive_timeout, kSecond, kDay);
  faults.Range("rpc.min_ping_interval_ms", rpc.min_ping_interval, absl::ZeroDuration(), kDay);
}

}  // namespace

absl::Status Validate(const ServerConfig& config) {
  Faults faults;
  faults.Address("listen", config.listen);
  faults.Address("admin_listen", config.admin_listen);
  const auto port = ParseHostPort(config.listen);
  if (config.listen == config.admin_listen && port.ok() && port->port != 0) {
    faults.Add("admin_listen", config.admin_listen, "an address other than listen's");
  }
  CheckBatching(config, faults);
  CheckLimits(config, faults);
  CheckRpc(config.rpc, faults);
  faults.Range("drain.delay_ms", config.drain.delay, absl::ZeroDuration(), absl::Hours(1));
  faults.Range("drain.grace_ms", config.drain.grace, absl::ZeroDuration(), absl::Hours(1));
  faults.Range("log.max_lines_per_second", config.log.max_lines_per_second, 1, 1'000'000);
  return faults.Status();
}

std::vector<size_t> LadderOf(const BatchingConfig& batching) {
  if (!batching.ladder.empty()) return batching.ladder;
  std::vector<size_t> ladder;
  for (size_t rung = 1; rung < batching.max_batch_rows; rung *= 2) ladder.push_back(rung);
  ladder.push_back(batching.max_batch_rows);
  return ladder;
}

size_t MaxInstancesOf(const ServerConfig& config) {
  return config.limits.max_instances == 0 ? config.batching.max_batch_rows
                                          : config.limits.max_instances;
}

}  // namespace hydra::config
