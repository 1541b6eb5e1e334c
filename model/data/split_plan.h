// Disjoint splits of one pool of items.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "model/artifact/calibration.h"

namespace hydra::data {

inline constexpr char kRestOfPool[] = "train";

// Wanted rows of every split but "train", which takes what is left.
struct SplitSizes {
  size_t select = 2500;
  size_t fit = 500;
  size_t path = 1000;
  size_t certify = 4000;
  size_t conformal = 1000;
};

// Rows of the pool by split, ascending; the six splits are a partition of the pool.
using SplitRows = std::map<std::string, std::vector<size_t>>;

// Items are ordered by sha256 of seed and item digest, so the assignment depends on the contents
// only.  Items with equal digests never fall into two splits: a group that does not fit whole goes
// to "train".
// Errors: INVALID_ARGUMENT if nothing is left for "train" (says how many items it would take).
absl::StatusOr<SplitRows> SplitPool(absl::Span<const std::string> item_digests,
                                    const SplitSizes& sizes, uint64_t seed);

// n and the sha256 over the sorted item digests of these rows.
artifact::Split DescribeSplit(absl::Span<const std::string> item_digests,
                              absl::Span<const size_t> rows);

}  // namespace hydra::data
