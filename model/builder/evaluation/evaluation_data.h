// What the systems are shown, set by set.
#pragma once

#include <map>
#include <set>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/builder/options/data_options.h"
#include "model/builder/source/final_data.h"
#include "model/builder/source/labelled_data.h"
#include "model/builder/source/pool.h"

namespace hydra::builder {

// `fit` gives each system its temperature; `path` with proxies made from it its combiner and its
// default scores; `id` and `ood` are what it is judged on.
struct EvaluationData {
  LabelledData fit;
  LabelledData path;
  LabelledData proxies;
  LabelledData id;
  std::map<std::string, LabelledData> ood;
  std::set<std::string> near;  // names in `ood`
  LabelledData shift_base;     // rows of `id` that are corrupted; none: no shift sets
  uint64_t seed = 0;           // of corruptions
};

// Names of sets: "fit", "path", "proxies", "id", "ood.NAME", "shift.CORRUPTION.SEVERITY".
inline constexpr char kOodPrefix[] = "ood.";
inline constexpr char kShiftPrefix[] = "shift.";

// Calls `visit` with the name and rows of each set, always in the same order, and stops at its
// first error.  Shift sets are made one at a time.
absl::Status VisitSets(
    const EvaluationData& data,
    absl::FunctionRef<absl::Status(const std::string& name, const LabelledData& rows)> visit);

// Items of `test` that are in the pool too: reported, not refused, since a published test set is
// what it is.
size_t SharedItems(const LabelledData& test, const Pool& pool);

}  // namespace hydra::builder
