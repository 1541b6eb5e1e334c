// Asks a port that nobody listens on: the answer must be an error, not a crash.
#include <cstdio>

#include "client/cpp/client.h"

int main() {
  auto client = hydra::client::Client::Create(
      {.endpoint = "127.0.0.1:1", .timeout = absl::Seconds(5), .retry = {.max_attempts = 1}});
  if (!client.ok()) return 2;
  hydra::v1::PredictRequest request;
  request.add_instances()->set_text("hello");
  const auto answer = client->Predict(request);
  std::printf("%s\n", answer.status().ToString().c_str());
  return answer.status().code() == absl::StatusCode::kUnavailable ? 0 : 1;
}
