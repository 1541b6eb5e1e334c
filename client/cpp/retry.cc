#include "client/cpp/retry.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "model/base/status_detail.h"

namespace hydra::client {

absl::Status Validate(const RetryOptions& options) {
  if (options.max_attempts < 1 || options.max_attempts > 100) {
    return absl::InvalidArgumentError(
        absl::StrCat("retry.max_attempts: got ", options.max_attempts, ", want 1..100"));
  }
  if (options.initial_backoff <= absl::ZeroDuration() ||
      options.max_backoff < options.initial_backoff) {
    return absl::InvalidArgumentError(
        absl::StrCat("retry: got initial_backoff ", absl::FormatDuration(options.initial_backoff),
                     " and max_backoff ", absl::FormatDuration(options.max_backoff),
                     ", want 0 < initial_backoff <= max_backoff"));
  }
  if (!(options.multiplier >= 1.0 && options.multiplier <= 10.0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("retry.multiplier: got ", options.multiplier, ", want 1..10"));
  }
  return absl::OkStatus();
}

Retrier::Retrier(RetryOptions options, const base::Clock& clock, Sleeper& sleeper, uint64_t seed)
    : options_(options),
      clock_(clock),
      sleeper_(sleeper),
      rng_(base::Rng::ForPurpose(seed, "client backoff")) {}

absl::Status Retrier::Run(absl::Duration timeout, Idempotency idempotency, const Attempt& attempt) {
  const absl::Time deadline = clock_.MonotonicNow() + timeout;
  for (int attempts = 1;; ++attempts) {
    absl::Status status = attempt(deadline - clock_.MonotonicNow());
    if (status.ok() || idempotency == Idempotency::kOnce || attempts >= options_.max_attempts) {
      return status;
    }
    const std::optional<absl::Duration> delay = DelayAfter(status, attempts);
    if (!delay.has_value() || clock_.MonotonicNow() + *delay >= deadline) return status;
    sleeper_.Wait(*delay);
  }
}

std::optional<absl::Duration> Retrier::DelayAfter(const absl::Status& status, int attempts) {
  const std::optional<absl::Duration> server_delay = base::RetryDelayOf(status);
  const bool retryable =
      status.code() == absl::StatusCode::kUnavailable ||
      (status.code() == absl::StatusCode::kResourceExhausted && server_delay.has_value());
  if (!retryable) return std::nullopt;
  return server_delay.value_or(absl::ZeroDuration()) + Backoff(attempts);
}

absl::Duration Retrier::Backoff(int attempts) {
  const double growth = std::pow(options_.multiplier, attempts - 1);
  const absl::Duration backoff = std::min(options_.max_backoff, options_.initial_backoff * growth);
  base::MutexLock lock(mutex_);
  return backoff * (0.5 + 0.5 * rng_.Uniform());
}

}  // namespace hydra::client
