// From importance to the heads that each member keeps.  Torch-free.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"

namespace hydra::importance {

// [L][H], larger is more important.
using HeadTable = std::vector<std::vector<double>>;

struct SelectionOptions {
  size_t keep = 8;                     // K heads in every layer of every member
  std::vector<size_t> keep_per_layer;  // K_l of each layer, 0 allowed; empty: `keep` everywhere
  double overlap_penalty = 0.0;        // ranks that a head loses for each earlier member with it
};

// members[m][l] = heads of the base that member m keeps in layer l, ascending.
using MemberHeads = std::vector<std::vector<std::vector<size_t>>>;

// The `keep` heads of one layer whose rank by falling importance plus `lost_ranks` is smallest,
// ascending; ties go to the lower head.
std::vector<size_t> BestHeads(const std::vector<double>& importance,
                              const std::vector<double>& lost_ranks, size_t keep);

// For each member in turn and each layer the K heads with the best penalised rank; ties go to the
// lower head index. `importance`: [M][L][H], one table per member. Errors: INVALID_ARGUMENT no
// table, ragged tables, a value that is not finite, keep outside 1..H, or a list of another length
// than L or with a number above H.
absl::StatusOr<MemberHeads> SelectHeads(const std::vector<HeadTable>& importance,
                                        const SelectionOptions& options);

enum class LayerScale {
  kNone,
  kUnitNorm,  // each layer's scores divided by their l2 norm + 1e-20 (Michel et al. 2019, code)
};

struct GlobalOptions {
  size_t budget = 1;              // heads of a member over all layers
  size_t at_least_per_layer = 0;  // the best of each layer that stay in any case
  double overlap_penalty = 0.0;   // as SelectionOptions; of L*H ranks
  LayerScale scale = LayerScale::kNone;
};

// For each member in turn the `budget` heads of all layers together with the best penalised rank,
// so that layers may keep different numbers of heads, or none.  Ties go to the lower layer, then
// head.  Errors: as SelectHeads; INVALID_ARGUMENT a budget outside L * at_least_per_layer..L*H or
// of 0.
absl::StatusOr<MemberHeads> SelectGlobally(const std::vector<HeadTable>& importance,
                                           const GlobalOptions& options);

// Members from one table of scores (SAPER's): in the table of member m, heads of cluster m (modulo
// their number) rank higher by `bonus`, a share of the L*H ranks.  `clusters`: [L][H], numbered
// from 0.  Returns minus the steered ranks, for SelectGlobally.  Errors: INVALID_ARGUMENT tables
// that do not fit, no member, or a bonus outside 0..1.
absl::StatusOr<std::vector<HeadTable>> SteerToClusters(
    const HeadTable& scores, const std::vector<std::vector<size_t>>& clusters, size_t members,
    double bonus);

// K heads per layer drawn without replacement, anew for each member: the control that every method
// has to beat. Errors: INVALID_ARGUMENT keep outside 1..heads.
absl::StatusOr<MemberHeads> RandomHeads(size_t members, size_t layers, size_t heads, size_t keep,
                                        uint64_t seed);

}  // namespace hydra::importance
