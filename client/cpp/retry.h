// Which failed calls are tried again, and when.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "client/cpp/sleeper.h"
#include "model/base/clock.h"
#include "model/base/mutex.h"
#include "model/base/rng.h"

namespace hydra::client {

struct RetryOptions {
  int max_attempts = 5;                                      // the first try included; 1..100
  absl::Duration initial_backoff = absl::Milliseconds(100);  // before the second try
  absl::Duration max_backoff = absl::Seconds(5);             // at least initial_backoff
  double multiplier = 2.0;                                   // growth of the backoff; 1..10
};

// Errors: INVALID_ARGUMENT names the option outside its range.
absl::Status Validate(const RetryOptions& options);

// May a call that perhaps reached the server be sent again?
enum class Idempotency {
  kIdempotent,  // reads, predictions, and writes guarded by an etag
  kOnce,        // never sent twice
};

// Retries UNAVAILABLE after a backoff, and RESOURCE_EXHAUSTED only when the server named a delay
// (RetryInfo), never before that delay; neither when the deadline would pass meanwhile.  The wait
// is drawn uniformly from [backoff / 2, backoff], backoff = initial * multiplier^n, so that clients
// which failed together do not return together; a server's delay is added in front.  Thread-safe.
class Retrier {
 public:
  // One try; `remaining` is the time left until the deadline.
  using Attempt = std::function<absl::Status(absl::Duration remaining)>;

  // `clock` and `sleeper` must outlive this object.
  Retrier(RetryOptions options, const base::Clock& clock, Sleeper& sleeper, uint64_t seed);

  // Runs `attempt` until it succeeds, fails for good, or `timeout` from now leaves no room for the
  // next try.  Returns the last attempt's status, its payloads untouched.
  absl::Status Run(absl::Duration timeout, Idempotency idempotency, const Attempt& attempt);

 private:
  std::optional<absl::Duration> DelayAfter(const absl::Status& status, int attempts);
  absl::Duration Backoff(int attempts);

  const RetryOptions options_;
  const base::Clock& clock_;
  Sleeper& sleeper_;
  base::Mutex mutex_;
  base::Rng rng_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hydra::client
