// splits.json: the item digests of every split, so that pack can refuse overlap.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/artifact/calibration.h"
#include "model/builder/source/pool.h"

namespace hydra::builder {

// Item digests by split, each sorted.
using SplitItems = std::map<std::string, std::vector<std::string>>;

SplitItems ItemsOf(const Pool& pool);

std::string EncodeSplitItems(const SplitItems& items);
// Errors: INVALID_ARGUMENT, naming the field.
absl::StatusOr<SplitItems> ParseSplitItems(absl::string_view text);

// That no item is in two splits, and that `splits` holds the digest of each.
// Errors: FAILED_PRECONDITION naming the splits and an item.
absl::Status CheckSplits(const SplitItems& items,
                         const std::map<std::string, artifact::Split>& splits);

}  // namespace hydra::builder
