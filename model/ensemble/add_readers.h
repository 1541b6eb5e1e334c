// A network of readers out of a single model: the trunk is the model, each reader starts as its
// CLS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "model/ensemble/prune.h"
#include "model/nn/network.h"

namespace hydra::ensemble {

struct ReaderOptions {
  size_t members = 3;
  size_t layers = 1;            // the last k layers have readers, 1..L
  std::string mlp = "own";      // "own", "tied" (the trunk's) or "low_rank" (a difference to it)
  size_t mlp_rank = 0;          // of "low_rank"
  bool own_keys_values = true;  // k/v of a reader's own token by its own projections or the trunk's
  // Heads of each reader, [M][L]; layers below the readers are not looked at.  Empty: all of the
  // trunk's.
  std::vector<KeptHeads> kept;
  uint64_t seed = 0;  // of the low-rank factors
};

// `base`: M = 1, with any of its heads.  Until it is tuned every reader gives the base's answer if
// it keeps every head (exactly up to the order of sums).  The result shares no memory with `base`.
// Errors: INVALID_ARGUMENT options that do not fit; FAILED_PRECONDITION a base that is not read at
// a CLS token.
absl::StatusOr<nn::Network> AddReaders(const nn::Network& base, const ReaderOptions& options);

}  // namespace hydra::ensemble
