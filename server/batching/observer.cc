#include "server/batching/observer.h"

namespace hydra::batching {

const char* ToString(Stage stage) {
  switch (stage) {
    case Stage::kAdmission:
      return "admission";
    case Stage::kFormation:
      return "formation";
    case Stage::kLaunch:
      return "launch";
    case Stage::kStop:
      return "stop";
  }
  return "unknown";
}

}  // namespace hydra::batching
