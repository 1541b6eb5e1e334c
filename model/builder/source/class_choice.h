// Some of the classes of a dataset.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "model/builder/options/data_options.h"
#include "model/builder/source/labelled_data.h"

namespace hydra::builder {

// `kept`: the rows of `options.classes` (default: all) that are not of `options.held_out_classes`;
// the classes are its label names in that order.  `held_out`: the rows of the latter.  `others`:
// the rest.  Both have their old labels.  All rows are kept if `options` names no class.
struct ClassChoice {
  LabelledData kept;
  LabelledData held_out;
  LabelledData others;
};

// Labels take their names from the data, else from `options.label_names`; `what` names the data in
// errors.  Errors: INVALID_ARGUMENT data without labels or names, a label without a name, a class
// that is not among the names, or no row of the kept classes.
absl::StatusOr<ClassChoice> ChooseClasses(const DataOptions& options, const std::string& what,
                                          LabelledData data);

}  // namespace hydra::builder
