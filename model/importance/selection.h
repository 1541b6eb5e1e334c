// From importance to the heads that each member keeps.  Torch-free.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"

namespace hydra::importance {

struct SelectionOptions {
  size_t keep = 8;               // K heads in every layer of every member
  double overlap_penalty = 0.0;  // ranks that a head loses for each earlier member that kept it
};

// members[m][l] = heads of the base that member m keeps in layer l, ascending.
using MemberHeads = std::vector<std::vector<std::vector<size_t>>>;

// For each member in turn and each layer the K heads with the best penalised rank; ties go to the
// lower head index. `importance`: [M][L][H], one table per member. Errors: INVALID_ARGUMENT no
// table, ragged tables, a value that is not finite, or keep outside 1..H.
absl::StatusOr<MemberHeads> SelectHeads(
    const std::vector<std::vector<std::vector<double>>>& importance,
    const SelectionOptions& options);

// K heads per layer drawn without replacement, anew for each member: the control that every method
// has to beat. Errors: INVALID_ARGUMENT keep outside 1..heads.
absl::StatusOr<MemberHeads> RandomHeads(size_t members, size_t layers, size_t heads, size_t keep,
                                        uint64_t seed);

}  // namespace hydra::importance
