// Outputs of steps by what they were made from.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/builder/steps/step_context.h"
#include "nlohmann/json.hpp"

namespace hydra::builder {

// One step's output: where it lies and what it was made from.
struct StepOutput {
  std::string path;
  std::string key;
};

// A step's key is the sha256 of its name, its options, the tool's version and the keys or digests
// of its inputs; its output lies in <directory>/<step>-<first 16 of the key>.  An output that is
// there was written whole (StepDirectory), so it is used again.  Holds a lock on the directory:
// two builds never share it at the same time.  Not thread-safe.
class StepCache {
 public:
  // Creates the directory.  Errors: FAILED_PRECONDITION another build holds it; INTERNAL.
  static absl::StatusOr<std::unique_ptr<StepCache>> Open(const std::string& directory,
                                                         StepContext context);
  StepCache(const StepCache&) = delete;
  StepCache& operator=(const StepCache&) = delete;
  ~StepCache();

  // Runs `run` with the path of the output unless it is there.
  absl::StatusOr<StepOutput> Run(const std::string& step, const nlohmann::ordered_json& made_from,
                                 absl::FunctionRef<absl::Status(const std::string& out)> run);

  const std::string& directory() const { return directory_; }

 private:
  StepCache(std::string directory, int lock, StepContext context)
      : directory_(std::move(directory)), lock_(lock), context_(context) {}

  const std::string directory_;
  const int lock_;
  const StepContext context_;
};

}  // namespace hydra::builder
