#include "server/lifecycle/server.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"

namespace hydra::lifecycle {
namespace {

using config::LogLevel;

// A lane that shows no sign of life for so long hangs in a forward pass: restarting is right.
constexpr absl::Duration kLongestSilence = absl::Seconds(60);

constexpr size_t kReservoirAnswers = 10'000;  // a preview of one percent then has 100 answers

rpc::RpcServerOptions RpcOptions(const config::ServerConfig& config) {
  const config::RpcConfig& rpc = config.rpc;
  return {.listen = config.listen,
          .token_file = config.security.admin_token_file,
          .reflection = rpc.reflection,
          .completion_threads = rpc.threads,
          .max_instances = config::MaxInstancesOf(config),
          .max_message_bytes = config.limits.max_message_bytes,
          .max_image_bytes = config.limits.max_image_bytes,
          .max_image_pixels = config.limits.max_image_pixels,
          .max_image_side = config.limits.max_image_side,
          .max_text_bytes = config.limits.max_text_bytes,
          .memory_quota_bytes = rpc.memory_quota_bytes,
          .max_concurrent_streams = rpc.max_concurrent_streams,
          .max_connection_idle = rpc.max_connection_idle,
          .max_connection_age = rpc.max_connection_age,
          .max_connection_age_grace = rpc.max_connection_age_grace,
          .keepalive_time = rpc.keepalive_time,
          .keepalive_timeout = rpc.keepalive_timeout,
          .min_ping_interval = rpc.min_ping_interval};
}

observability::BundleFacts FactsOf(const policy::ServedBundle& served) {
  observability::BundleFacts facts{.name = served.manifest.name,
                                   .digest = served.digest,
                                   .weights_digest = served.weights_digest,
                                   .dtype = served.serving_dtype,
                                   .members = served.manifest.members};
  for (const auto& [score, histogram] : served.calibration.reference_histograms) {
    facts.score_edges[score] = histogram.edges;
  }
  return facts;
}

}  // namespace

Server::Server(config::ServerConfig config, ServerDeps deps)
    : config_(std::move(config)),
      deps_(std::move(deps)),
      metrics_(deps_.version),
      batch_metrics_(metrics_, deps_.logger),
      call_metrics_(metrics_, deps_.logger) {}

Server::~Server() = default;

absl::Status Server::Run() {
  HYDRA_RETURN_IF_ERROR(Start());
  stop_.Wait();
  Drain();
  return absl::OkStatus();
}

absl::Status Server::Start() {
  HYDRA_RETURN_IF_ERROR(StartAdmin());
  HYDRA_ASSIGN_OR_RETURN(LoadedModel model,
                         SetUpModel(config_, deps_.runtime, deps_.clock,
                                    [this](absl::string_view step) { return Announce(step); }));
  metrics_.SetBundle(FactsOf(model.served));
  HYDRA_RETURN_IF_ERROR(Announce("open_policy"));
  HYDRA_RETURN_IF_ERROR(OpenPolicy(std::move(model.served)));
  HYDRA_RETURN_IF_ERROR(Announce("start_lanes"));
  HYDRA_RETURN_IF_ERROR(StartBatcher(model));
  HYDRA_RETURN_IF_ERROR(Announce("listen"));
  HYDRA_RETURN_IF_ERROR(StartRpc());

  rpc_->SetHealth(rpc::Health::kServing);
  readiness_.SetReady();
  const auto snapshot = keeper_->Current();
  deps_.logger.Log(LogLevel::kInfo, "ready",
                   {{"grpc_port", absl::StrCat(rpc_->port())},
                    {"admin_port", absl::StrCat(admin_->port())},
                    {"bundle", snapshot->bundle->manifest.name},
                    {"digest", snapshot->bundle->digest},
                    {"dtype", snapshot->bundle->serving_dtype},
                    {"lanes", absl::StrCat(batcher_->lanes().size())},
                    {"policy_revision", absl::StrCat(snapshot->policy.revision)}});
  deps_.on_ready({.grpc = rpc_->port(), .admin = admin_->port()});
  return absl::OkStatus();
}

absl::Status Server::Announce(absl::string_view step) {
  if (stop_.raised()) return absl::CancelledError(absl::StrCat("stopped before ", step));
  readiness_.SetNotReady(absl::StrCat("starting: ", step));
  deps_.logger.Log(LogLevel::kInfo, "starting", {{"step", std::string(step)}});
  return absl::OkStatus();
}

absl::Status Server::StartAdmin() {
  HYDRA_ASSIGN_OR_RETURN(
      admin_, observability::AdminServer::Start(config_.admin_listen,
                                                {.metrics = [this] { return ScrapeMetrics(); },
                                                 .live = [this] { return CheckLanes(); },
                                                 .ready = [this] { return readiness_.Get(); },
                                                 .version = [this] { return VersionJson(); }}));
  return absl::OkStatus();
}

absl::Status Server::OpenPolicy(policy::ServedBundle served) {
  if (config_.policy.state_directory.empty()) {
    store_ = std::make_unique<policy::MemoryStore>();
  } else {
    HYDRA_ASSIGN_OR_RETURN(state_directory_, StateDirectory::Open(config_.policy.state_directory));
    store_ = std::make_unique<policy::FileStore>(state_directory_->PolicyFile());
  }
  // Which answers a full reservoir forgets must not be known to those who send them.
  reservoir_ = std::make_unique<policy::Reservoir>(kReservoirAnswers, std::random_device()());
  HYDRA_ASSIGN_OR_RETURN(
      keeper_, policy::Keeper::Create(std::move(served), *store_, *reservoir_, deps_.clock));
  live_keeper_ = keeper_.get();
  call_metrics_.OnPolicyChange(keeper_->Current()->policy);
  return absl::OkStatus();
}

absl::Status Server::StartBatcher(LoadedModel& model) {
  batching::BatcherOptions options{.former = {.max_batch_rows = config_.batching.max_batch_rows,
                                              .max_queue_delay = config_.batching.max_queue_delay,
                                              .ladder = config::LadderOf(config_.batching),
                                              .max_tokens = config_.batching.max_tokens},
                                   .queue = {.max_requests = config_.queue.max_requests,
                                             .max_rows = config_.queue.max_rows,
                                             .max_bytes = config_.queue.max_bytes}};
  HYDRA_ASSIGN_OR_RETURN(batcher_,
                         batching::Batcher::Create(std::move(options), std::move(model.predictors),
                                                   model.cost, deps_.clock, batch_metrics_));
  live_batcher_ = batcher_.get();
  return absl::OkStatus();
}

absl::Status Server::StartRpc() {
  HYDRA_ASSIGN_OR_RETURN(
      rpc_, rpc::RpcServer::Create(
                RpcOptions(config_),
                {.submit = [this](batching::Job job) { return batcher_->Submit(std::move(job)); },
                 .keeper = *keeper_,
                 .reservoir = *reservoir_,
                 .clock = deps_.clock,
                 .observer = call_metrics_,
                 .version = deps_.version}));
  return rpc_->Start();
}

void Server::Drain() {
  deps_.logger.Log(LogLevel::kInfo, "draining", {});
  readiness_.SetNotReady("draining");
  rpc_->SetHealth(rpc::Health::kNotServing);
  stop_.WaitUnlessHurried(config_.drain.delay, deps_.clock);
  {
    // Answering what waits lets the calls in flight end at once.
    std::jthread hurry([this] {
      if (stop_.WaitForHurry()) batcher_->Stop();
    });
    batcher_->Hasten();
    rpc_->Shutdown(config_.drain.grace);
    stop_.Finish();
  }
  batcher_->Stop();
  deps_.logger.Log(LogLevel::kInfo, "stopped", {});
}

size_t Server::RequestStop() { return stop_.Raise(); }

void Server::Reload() {
  policy::Keeper* const keeper = live_keeper_;
  if (keeper == nullptr) return;
  const absl::Status status = keeper->Reload();
  if (status.ok()) {
    call_metrics_.OnPolicyChange(keeper->Current()->policy);
  } else {
    deps_.logger.Log(LogLevel::kError, "reload_failed",
                     {{"message", std::string(status.message())}});
  }
}

absl::Status Server::CheckLanes() const {
  const batching::Batcher* const batcher = live_batcher_;
  if (batcher == nullptr) return absl::OkStatus();
  const absl::Time now = deps_.clock.MonotonicNow();
  for (const batching::LaneHealth& lane : batcher->lanes()) {
    const absl::Duration silence = now - lane.last_beat;
    if (silence > kLongestSilence) {
      return absl::InternalError(
          absl::StrCat("a lane shows no sign of life since ", absl::FormatDuration(silence)));
    }
  }
  return absl::OkStatus();
}

std::string Server::ScrapeMetrics() {
  observability::Levels levels{.ready = readiness_.Get().ok()};
  if (const batching::Batcher* const batcher = live_batcher_; batcher != nullptr) {
    const batching::QueueDepth depth = batcher->depth();
    levels.queue_requests = depth.requests;
    levels.queue_rows = depth.rows;
    levels.queue_bytes = depth.bytes;
    levels.oldest_wait = batcher->OldestWait();
    levels.in_flight_rows = batcher->in_flight_rows();
    const absl::Time now = deps_.clock.MonotonicNow();
    for (const batching::LaneHealth& lane : batcher->lanes()) {
      levels.slowest_lane = std::max(levels.slowest_lane, now - lane.last_beat);
    }
  }
  return metrics_.Scrape(levels);
}

std::string Server::VersionJson() const {
  nlohmann::ordered_json json = {{"version", deps_.version}};
  if (const policy::Keeper* const keeper = live_keeper_; keeper != nullptr) {
    const auto snapshot = keeper->Current();
    json["bundle"] = {{"name", snapshot->bundle->manifest.name},
                      {"digest", snapshot->bundle->digest},
                      {"dtype", snapshot->bundle->serving_dtype}};
  }
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace hydra::lifecycle
