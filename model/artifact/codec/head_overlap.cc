#include "model/artifact/codec/head_overlap.h"

#include <algorithm>
#include <iterator>

namespace hydra::artifact::codec {

std::vector<std::vector<double>> MemberOverlap(
    const std::vector<std::vector<std::vector<size_t>>>& kept) {
  const size_t members = kept.empty() ? 0 : kept.front().size();
  std::vector<std::vector<double>> overlap(members, std::vector<double>(members, 1.0));
  for (size_t a = 0; a < members; ++a) {
    for (size_t b = 0; b < members; ++b) {
      size_t both = 0;
      size_t sum = 0;
      for (const auto& layer : kept) {
        std::vector<size_t> common;
        std::set_intersection(layer[a].begin(), layer[a].end(), layer[b].begin(), layer[b].end(),
                              std::back_inserter(common));
        both += common.size();
        sum += layer[a].size() + layer[b].size();
      }
      if (sum > 0) overlap[a][b] = static_cast<double>(both) / static_cast<double>(sum - both);
    }
  }
  return overlap;
}

}  // namespace hydra::artifact::codec
