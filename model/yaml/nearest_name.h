// "Did you mean": the name that a misspelt one is closest to.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace hydra::yaml {

// The candidate with the smallest edit distance (insert, delete, replace), the first one on a tie;
// empty when each needs more edits than a third of the longer word, rounded up.
std::string NearestName(absl::string_view name, const std::vector<std::string>& candidates);

}  // namespace hydra::yaml
