// The output of one step: a directory that appears whole or not at all.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace hydra::builder {

// Files are written to a temporary directory beside `path`, which Commit renames.  What an
// interrupted run left there is removed by the next one.  Movable; not thread-safe.
class StepDirectory {
 public:
  // Errors: ALREADY_EXISTS `path` exists; INTERNAL the system's reason.
  static absl::StatusOr<StepDirectory> Create(const std::string& path);

  // Where the step may write now.
  const std::string& temporary() const { return temporary_; }
  const std::string& path() const { return path_; }

  absl::Status Write(absl::string_view name, absl::string_view contents) const;

  // Fsyncs every file and renames.  Errors: INTERNAL.
  absl::Status Commit();

 private:
  StepDirectory(std::string path, std::string temporary)
      : path_(std::move(path)), temporary_(std::move(temporary)) {}

  std::string path_;
  std::string temporary_;
};

}  // namespace hydra::builder
