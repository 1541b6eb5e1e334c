#include "server/batching/job.h"

namespace hydra::batching {

const char* ToString(DispatchReason reason) {
  switch (reason) {
    case DispatchReason::kFull:
      return "full";
    case DispatchReason::kDelay:
      return "delay";
    case DispatchReason::kDeadline:
      return "deadline";
    case DispatchReason::kAlone:
      return "alone";
    case DispatchReason::kDrain:
      return "drain";
  }
  return "unknown";
}

Work& Work::operator+=(const Work& other) {
  rows += other.rows;
  tokens += other.tokens;
  return *this;
}

Work& Work::operator-=(const Work& other) {
  rows -= other.rows;
  tokens -= other.tokens;
  return *this;
}

Work WorkOf(const Job& job) { return {.rows = job.row_count, .tokens = job.rows.token_ids.size()}; }

}  // namespace hydra::batching
