// Where a client's inputs come from, a part at a time so that a large folder need not fit into
// memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "hydra/v1/prediction.pb.h"

namespace hydra::input {

struct NamedInput {
  std::string name;  // path, or path and position: "t10k-images-idx3-ubyte[7]"
  v1::Instance instance;
  std::optional<uint32_t> truth;  // class index, when the source knows it
};

// Not thread-safe.
class Source {
 public:
  virtual ~Source() = default;

  // At most `count` further inputs, in a fixed order; none at the end.
  // Errors: NOT_FOUND, INVALID_ARGUMENT, RESOURCE_EXHAUSTED or INTERNAL with the file's path.
  virtual absl::StatusOr<std::vector<NamedInput>> Next(size_t count) = 0;
};

}  // namespace hydra::input
