// What a final evaluation looks at: data that no other step has used.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "model/builder/options/data_options.h"
#include "model/builder/source/input_settings.h"
#include "model/builder/source/labelled_data.h"

namespace hydra::builder {

// The set of test rows that are of none of the chosen classes.
inline constexpr char kOtherClasses[] = "other_classes";
// And the set of those of the held-out classes.
inline constexpr char kHeldOutClasses[] = "held_out_classes";

struct FinalData {
  LabelledData id;
  std::map<std::string, LabelledData> ood;  // without labels
  std::set<std::string> near;               // which of them are near the data; others are far
};

// The test set, and the named out-of-distribution sets with the test rows of the classes that
// `options` leaves out.  `labels`: the classes of the network.
// Errors: FAILED_PRECONDITION no test set; INVALID_ARGUMENT a test set without labels, or
// `near_ood` names no OOD set; as LoadData,
// ChooseClasses and MatchLabels.
absl::StatusOr<FinalData> LoadFinalData(const DataOptions& options, const InputSettings& settings,
                                        const std::vector<std::string>& labels);

// sha256 over the sorted digests of the items.
std::string SetDigest(const LabelledData& data);

}  // namespace hydra::builder
