// How much the members' kept heads have in common.
#pragma once

#include <cstddef>
#include <vector>

namespace hydra::artifact::codec {

// Jaccard index |A n B| / |A u B| of every pair of members, with A and B the sets of (layer, head)
// that they keep; 1 for two empty sets.  `kept`: [layers][members][...] ascending, the same number
// of members in each layer.  Returns [members][members], symmetric, ones on the diagonal.
std::vector<std::vector<double>> MemberOverlap(
    const std::vector<std::vector<std::vector<size_t>>>& kept);

}  // namespace hydra::artifact::codec
