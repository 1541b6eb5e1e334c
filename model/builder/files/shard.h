// Parts of a step that several processes run: which is whose, and finding all of them again.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"

namespace hydra::builder {

// Shard `index` of `of`, counted from 1.  The default is the whole step.
struct Shard {
  size_t index = 1;
  size_t of = 1;

  bool whole() const { return of == 1; }
  // Units of work are dealt in turn.
  bool Owns(size_t unit) const { return unit % of == index - 1; }
};

// "2/3", or the whole step if empty.  Errors: INVALID_ARGUMENT with what was wanted.
absl::StatusOr<Shard> ParseShard(absl::string_view text);

// shard.json of one shard's output.
struct ShardRecord {
  std::string directory;
  Shard shard;
  nlohmann::ordered_json document;
};

// {"step", "shard", "of", "key"} with `contents` behind it; `key` names what was computed, without
// the shard.
std::string EncodeShard(const std::string& step, Shard shard, const std::string& key,
                        const nlohmann::ordered_json& contents);

// The shards in these directories by index, whatever order they are given in.
// Errors: NOT_FOUND a missing file; INVALID_ARGUMENT, naming directory or shard: no directory, a
// file that EncodeShard did not write, shards of different steps or keys, a shard given twice or
// missing.
absl::StatusOr<std::vector<ShardRecord>> ReadShards(const std::vector<std::string>& directories);

}  // namespace hydra::builder
