// The directory of what outlives the process, held by one process at a time.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace hydra::lifecycle {

class StateDirectory {
 public:
  // Makes the directory (and its parents) where it is missing and locks `PATH/lock`; the lock ends
  // with the object or the process, however that ends.  Errors: FAILED_PRECONDITION another process
  // holds it; INTERNAL the system's reason.
  static absl::StatusOr<std::unique_ptr<StateDirectory>> Open(const std::string& path);

  StateDirectory(const StateDirectory&) = delete;
  StateDirectory& operator=(const StateDirectory&) = delete;
  ~StateDirectory();

  std::string PolicyFile() const { return path_ + "/policy.json"; }

 private:
  StateDirectory(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}

  std::string path_;
  int lock_;
};

}  // namespace hydra::lifecycle
