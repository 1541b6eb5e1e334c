#include "client/loadgen/load.h"

#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"

namespace hydra::loadgen {
namespace {

absl::Status CheckCount(absl::string_view name, size_t got, size_t largest) {
  if (got >= 1 && got <= largest) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, ": got ", got, ", want 1..", largest));
}

absl::Status CheckDuration(absl::string_view name, absl::Duration got, absl::Duration least,
                           absl::Duration largest) {
  if (got >= least && got <= largest) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, ": got ", absl::FormatDuration(got),
                                                 ", want ", absl::FormatDuration(least), " to ",
                                                 absl::FormatDuration(largest)));
}

}  // namespace

absl::Status Validate(const Load& load) {
  HYDRA_RETURN_IF_ERROR(CheckCount("concurrency", load.concurrency, 10'000));
  HYDRA_RETURN_IF_ERROR(CheckCount("max in flight", load.max_in_flight, 100'000));
  HYDRA_RETURN_IF_ERROR(CheckCount("max calls", load.max_calls, 5'000'000));
  HYDRA_RETURN_IF_ERROR(
      CheckDuration("warm-up", load.warm_up, absl::ZeroDuration(), absl::Minutes(10)));
  HYDRA_RETURN_IF_ERROR(
      CheckDuration("duration", load.duration, absl::Milliseconds(1), absl::Hours(1)));
  HYDRA_RETURN_IF_ERROR(
      CheckDuration("deadline", load.deadline, absl::Milliseconds(1), absl::Hours(1)));
  return ArrivalSchedule::Create(load.arrivals).status();
}

}  // namespace hydra::loadgen
