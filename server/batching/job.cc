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

}  // namespace hydra::batching
