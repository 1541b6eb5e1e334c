#include "client/loadgen/arrivals.h"

#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace hydra::loadgen {
namespace {

constexpr double kMaxCallsPerSecond = 1e6;
constexpr size_t kMaxBurst = 10000;

}  // namespace

absl::StatusOr<ArrivalSchedule> ArrivalSchedule::Create(ArrivalOptions options) {
  if (!(options.calls_per_second > 0.0 && options.calls_per_second <= kMaxCallsPerSecond)) {
    return absl::InvalidArgumentError(absl::StrCat("rate: got ", options.calls_per_second,
                                                   ", want calls per second in (0, 1e6]"));
  }
  if (options.burst_size < 1 || options.burst_size > kMaxBurst) {
    return absl::InvalidArgumentError(
        absl::StrCat("burst size: got ", options.burst_size, ", want 1..", kMaxBurst));
  }
  return ArrivalSchedule(options);
}

ArrivalSchedule::ArrivalSchedule(ArrivalOptions options)
    : options_(options), rng_(base::Rng::ForPurpose(options.seed, "loadgen arrivals")) {}

absl::Duration ArrivalSchedule::Next() {
  const uint64_t call = calls_++;
  switch (options_.kind) {
    case ArrivalKind::kPoisson:
      // -ln(1 - u) is finite because u < 1.
      poisson_seconds_ -= std::log1p(-rng_.Uniform()) / options_.calls_per_second;
      return absl::Seconds(poisson_seconds_);
    case ArrivalKind::kConstant:
      return absl::Seconds(static_cast<double>(call) / options_.calls_per_second);
    case ArrivalKind::kBurst:
      return absl::Seconds(static_cast<double>(call / options_.burst_size * options_.burst_size) /
                           options_.calls_per_second);
  }
  return absl::ZeroDuration();
}

}  // namespace hydra::loadgen
