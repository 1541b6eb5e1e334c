// Everything that can be set on a server.  The member initialisers are the defaults;
// deploy/config/server.yaml says what each key means, in which unit and range.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "model/runtime/loader.h"

namespace hydra::config {

struct BundleConfig {
  std::string path;

  bool operator==(const BundleConfig&) const = default;
};

struct BatchingConfig {
  size_t max_batch_rows = 32;
  absl::Duration max_queue_delay = absl::ZeroDuration();
  std::vector<size_t> ladder;  // empty: powers of two up to max_batch_rows
  size_t max_tokens = 8192;

  bool operator==(const BatchingConfig&) const = default;
};

struct QueueConfig {
  size_t max_requests = 1024;
  size_t max_rows = 4096;
  size_t max_bytes = size_t{256} << 20;

  bool operator==(const QueueConfig&) const = default;
};

struct LanesConfig {
  size_t count = 0;             // 0: from the CPUs this process may use
  size_t threads_per_lane = 0;  // 0: likewise
  runtime::Numerics numerics = runtime::Numerics::kFloat32;

  bool operator==(const LanesConfig&) const = default;
};

struct LimitsConfig {
  size_t max_instances = 0;  // 0: batching.max_batch_rows
  size_t max_message_bytes = size_t{64} << 20;
  size_t max_image_bytes = size_t{16} << 20;
  size_t max_image_pixels = size_t{64} << 20;
  size_t max_image_side = 16384;
  size_t max_text_bytes = size_t{64} << 10;

  bool operator==(const LimitsConfig&) const = default;
};

struct RpcConfig {
  size_t threads = 2;
  bool reflection = false;
  size_t memory_quota_bytes = size_t{512} << 20;
  size_t max_concurrent_streams = 256;
  absl::Duration max_connection_idle = absl::Minutes(15);
  absl::Duration max_connection_age = absl::Minutes(5);
  absl::Duration max_connection_age_grace = absl::Minutes(1);
  absl::Duration keepalive_time = absl::Minutes(1);
  absl::Duration keepalive_timeout = absl::Seconds(20);
  absl::Duration min_ping_interval = absl::Seconds(20);

  bool operator==(const RpcConfig&) const = default;
};

struct PolicyConfig {
  std::string state_directory;  // empty: changes last as long as the process

  bool operator==(const PolicyConfig&) const = default;
};

struct SecurityConfig {
  std::string admin_token_file;  // empty: changes on a loopback address only

  bool operator==(const SecurityConfig&) const = default;
};

struct DrainConfig {
  absl::Duration delay = absl::Seconds(5);
  absl::Duration grace = absl::Seconds(20);

  bool operator==(const DrainConfig&) const = default;
};

enum class LogLevel { kDebug, kInfo, kWarning, kError };
enum class LogFormat { kText, kJson };

struct LogConfig {
  LogLevel level = LogLevel::kInfo;
  LogFormat format = LogFormat::kText;
  size_t max_lines_per_second = 100;  // of requests that failed; starts, stops and changes always

  bool operator==(const LogConfig&) const = default;
};

struct ServerConfig {
  std::string listen = "127.0.0.1:8001";
  std::string admin_listen = "127.0.0.1:8002";
  BundleConfig bundle;
  BatchingConfig batching;
  QueueConfig queue;
  LanesConfig lanes;
  LimitsConfig limits;
  RpcConfig rpc;
  PolicyConfig policy;
  SecurityConfig security;
  DrainConfig drain;
  LogConfig log;

  bool operator==(const ServerConfig&) const = default;
};

// Errors: INVALID_ARGUMENT with one line per value out of range, each with its key, the value and
// what was wanted.
absl::Status Validate(const ServerConfig& config);

// The batch sizes that are run: `ladder`, or its default.
std::vector<size_t> LadderOf(const BatchingConfig& batching);

// Instances that one request may hold.
size_t MaxInstancesOf(const ServerConfig& config);

}  // namespace hydra::config
