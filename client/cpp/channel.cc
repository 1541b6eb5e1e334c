#include "client/cpp/channel.h"

#include <chrono>

#include "absl/strings/str_cat.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/security/credentials.h"
#include "grpcpp/support/channel_arguments.h"

namespace hydra::client {
namespace {

constexpr int kMaxMessageBytes = 64 << 20;
constexpr int kKeepaliveTimeMs = 60'000;
constexpr int kKeepaliveTimeoutMs = 20'000;
// gRPC's own 1 s..120 s would outlast a whole call with its retries.
constexpr int kInitialReconnectBackoffMs = 100;
constexpr int kMaxReconnectBackoffMs = 5'000;
constexpr char kServiceConfig[] = R"({"loadBalancingConfig": [{"round_robin": {}}]})";

grpc::ChannelArguments Arguments() {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kMaxMessageBytes);
  arguments.SetMaxSendMessageSize(kMaxMessageBytes);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveTimeMs);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMs);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kInitialReconnectBackoffMs);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kMaxReconnectBackoffMs);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
  arguments.SetServiceConfigJSON(kServiceConfig);
  arguments.SetUserAgentPrefix("hydra-cpp");
  return arguments;
}

std::shared_ptr<grpc::ChannelCredentials> Credentials(const Options& options) {
  if (!options.tls.has_value()) return grpc::InsecureChannelCredentials();
  return grpc::SslCredentials({.pem_root_certs = options.tls->root_certificates,
                               .pem_private_key = options.tls->private_key,
                               .pem_cert_chain = options.tls->certificate_chain});
}

}  // namespace

std::shared_ptr<grpc::Channel> MakeChannel(const Options& options) {
  return grpc::CreateCustomChannel(options.endpoint, Credentials(options), Arguments());
}

void PrepareContext(const Options& options, absl::Duration remaining,
                    grpc::ClientContext& context) {
  context.set_deadline(std::chrono::system_clock::now() + absl::ToChronoMicroseconds(remaining));
  if (!options.bearer_token.empty()) {
    context.AddMetadata("authorization", absl::StrCat("Bearer ", options.bearer_token));
  }
}

}  // namespace hydra::client
