// Every key of the configuration, once: the reader and the printer walk this list.
#pragma once

#include <utility>

#include "absl/types/span.h"
#include "server/config/server_config.h"

namespace hydra::config {

inline constexpr std::pair<const char*, runtime::Numerics> kNumerics[] = {
    {"float32", runtime::Numerics::kFloat32}, {"bfloat16", runtime::Numerics::kBFloat16}};
inline constexpr std::pair<const char*, LogLevel> kLogLevels[] = {{"debug", LogLevel::kDebug},
                                                                  {"info", LogLevel::kInfo},
                                                                  {"warning", LogLevel::kWarning},
                                                                  {"error", LogLevel::kError}};
inline constexpr std::pair<const char*, LogFormat> kLogFormats[] = {{"text", LogFormat::kText},
                                                                    {"json", LogFormat::kJson}};

// `visitor` has Value(key, T&), Milliseconds(key, absl::Duration&), Choice(key, Enum&, names) and
// Section(key), which gives the visitor of the keys below.
template <typename Visitor, typename Rpc>
void VisitRpc(Visitor&& visitor, Rpc& rpc) {
  visitor.Value("threads", rpc.threads);
  visitor.Value("reflection", rpc.reflection);
  visitor.Value("memory_quota_bytes", rpc.memory_quota_bytes);
  visitor.Value("max_concurrent_streams", rpc.max_concurrent_streams);
  visitor.Milliseconds("max_connection_idle_ms", rpc.max_connection_idle);
  visitor.Milliseconds("max_connection_age_ms", rpc.max_connection_age);
  visitor.Milliseconds("max_connection_age_grace_ms", rpc.max_connection_age_grace);
  visitor.Milliseconds("keepalive_time_ms", rpc.keepalive_time);
  visitor.Milliseconds("keepalive_timeout_ms", rpc.keepalive_timeout);
  visitor.Milliseconds("min_ping_interval_ms", rpc.min_ping_interval);
}

template <typename Visitor, typename Config>
void VisitWork(Visitor&& visitor, Config& config) {
  auto batching = visitor.Section("batching");
  batching.Value("max_batch_rows", config.batching.max_batch_rows);
  batching.Milliseconds("max_queue_delay_ms", config.batching.max_queue_delay);
  batching.Value("ladder", config.batching.ladder);
  batching.Value("max_tokens", config.batching.max_tokens);
  auto queue = visitor.Section("queue");
  queue.Value("max_requests", config.queue.max_requests);
  queue.Value("max_rows", config.queue.max_rows);
  queue.Value("max_bytes", config.queue.max_bytes);
  auto lanes = visitor.Section("lanes");
  lanes.Value("count", config.lanes.count);
  lanes.Value("threads_per_lane", config.lanes.threads_per_lane);
  lanes.Choice("numerics", config.lanes.numerics, kNumerics);
  auto limits = visitor.Section("limits");
  limits.Value("max_instances", config.limits.max_instances);
  limits.Value("max_message_bytes", config.limits.max_message_bytes);
  limits.Value("max_image_bytes", config.limits.max_image_bytes);
  limits.Value("max_image_pixels", config.limits.max_image_pixels);
  limits.Value("max_image_side", config.limits.max_image_side);
  limits.Value("max_text_bytes", config.limits.max_text_bytes);
}

template <typename Visitor, typename Config>
void VisitConfig(Visitor&& visitor, Config& config) {
  visitor.Section("bundle").Value("path", config.bundle.path);
  visitor.Value("listen", config.listen);
  visitor.Value("admin_listen", config.admin_listen);
  VisitWork(visitor, config);
  VisitRpc(visitor.Section("rpc"), config.rpc);
  visitor.Section("policy").Value("state_directory", config.policy.state_directory);
  visitor.Section("security").Value("admin_token_file", config.security.admin_token_file);
  auto drain = visitor.Section("drain");
  drain.Milliseconds("delay_ms", config.drain.delay);
  drain.Milliseconds("grace_ms", config.drain.grace);
  auto log = visitor.Section("log");
  log.Choice("level", config.log.level, kLogLevels);
  log.Choice("format", config.log.format, kLogFormats);
  log.Value("max_lines_per_second", config.log.max_lines_per_second);
}

}  // namespace hydra::config
