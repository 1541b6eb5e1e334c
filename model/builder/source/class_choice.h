// Some of the classes of a dataset.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "model/builder/options/data_options.h"
#include "model/builder/source/labelled_data.h"

namespace hydra::builder {

// `kept`: the rows of `options.classes`, which are its label names in that order; all rows if
// `options` names no class.  `others`: the rest, with their old labels.
struct ClassChoice {
  LabelledData kept;
  LabelledData others;
};

// Labels take their names from the data, else from `options.label_names`; `what` names the data in
// errors.  Errors: INVALID_ARGUMENT data without labels or names, a label without a name, a class
// that is not among the names, or no row of the classes.
absl::StatusOr<ClassChoice> ChooseClasses(const DataOptions& options, const std::string& what,
                                          LabelledData data);

}  // namespace hydra::builder
