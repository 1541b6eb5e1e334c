// Where policies outlive the process.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/base/mutex.h"
#include "server/policy/policy.h"

namespace hydra::policy {

// Thread-safe.
class Store {
 public:
  virtual ~Store() = default;

  // Empty when nothing was ever saved.  Errors: FAILED_PRECONDITION what is stored is not a valid
  // history; the message names the place and the fault, and nothing is replaced.
  virtual absl::StatusOr<History> Load() const = 0;

  // Replaces everything or nothing.  Errors: INTERNAL the system's reason.
  virtual absl::Status Save(const History& history) = 0;
};

// One JSON file, replaced by write, fsync, rename, fsync: a kill at any instant leaves the old or
// the new history.  One process writes a path at a time.
class FileStore final : public Store {
 public:
  explicit FileStore(std::string path) : path_(std::move(path)) {}

  absl::StatusOr<History> Load() const override;
  absl::Status Save(const History& history) override;

 private:
  std::string path_;
};

// For servers without a policy path: changes last as long as the process.
class MemoryStore final : public Store {
 public:
  absl::StatusOr<History> Load() const override;
  absl::Status Save(const History& history) override;

 private:
  mutable base::Mutex mutex_;
  History history_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hydra::policy
