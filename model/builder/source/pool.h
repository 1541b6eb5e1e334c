// The training pool with its splits.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/builder/options/data_options.h"
#include "model/builder/source/labelled_data.h"
#include "model/data/split_plan.h"

namespace hydra::builder {

struct Pool {
  LabelledData data;
  data::SplitRows splits;
  std::vector<std::string> classes;  // their names, in the order of the labels

  const std::vector<size_t>& Rows(const std::string& split) const { return splits.at(split); }
  LabelledData Select(const std::string& split) const { return SelectRows(data, Rows(split)); }
  artifact::Split Describe(const std::string& split) const {
    return data::DescribeSplit(data.digests, Rows(split));
  }
};

// `classes`: names of a network's classes, which labels are matched to; empty: the classes are
// the chosen ones of `options`, else those of `options.label_names`, else of the data.
// Errors: as LoadData, ChooseClasses, MatchLabels and SplitPool; INVALID_ARGUMENT data without
// labels.
absl::StatusOr<Pool> LoadPool(const DataOptions& options, const InputSettings& settings,
                              const std::vector<std::string>& classes);

}  // namespace hydra::builder
