// What every method that scores heads reads.
#pragma once

#include <cstddef>

#include "model/builder/files/shard.h"
#include "model/builder/networks/stored_network.h"
#include "model/builder/source/pool.h"

namespace hydra::builder {

// Refers to what it is given.
struct ScoreSource {
  const StoredNetwork& base;
  const Pool& pool;
  size_t members = 1;
  Shard shard;  // members that are wanted; a method may score the others too
};

}  // namespace hydra::builder
