// What the RPC layer tells its metrics and logs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "model/uncertainty/answer.h"
#include "model/uncertainty/decision.h"
#include "server/policy/policy.h"

namespace hydra::rpc {

struct CallReport {
  absl::string_view method;  // "hydra.v1.PredictionService/Predict"; of a fixed set of names
  absl::Status status;       // with its reason (model/base/status_detail.h)
  absl::Duration duration;   // from the parsed request until the answer was handed to gRPC
  std::string request_id;    // the client's; at most 128 printable ASCII characters, may be empty
  size_t instances = 0;      // rows of a prediction request
  std::optional<absl::Duration> decode;  // of a prediction request whose inputs could be read
};

struct AnswerReport {
  const uncertainty::Answer& answer;
  const uncertainty::Decision& decision;
  const policy::Policy& policy;
  size_t truncated_tokens = 0;  // of a text: those that did not fit
};

// Implementations are thread-safe and quick: they are called on the RPC threads.
class Observer {
 public:
  virtual ~Observer() = default;

  virtual void OnCall(const CallReport& report) = 0;

  // Once for each answered instance.
  virtual void OnAnswer(const AnswerReport& report) = 0;

  // A policy was changed; `policy` is the active one now.
  virtual void OnPolicyChange(const policy::Policy& policy) = 0;
};

}  // namespace hydra::rpc
