#include "model/builder/source/pool.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "model/builder/source/class_choice.h"

namespace hydra::builder {
namespace {

// The chosen classes, else the names given by the user, else the data's, else the numbers
// themselves.
std::vector<std::string> OwnClasses(const DataOptions& options, const LabelledData& data) {
  if (!options.classes.empty() || !options.held_out_classes.empty()) return data.label_names;
  if (!options.label_names.empty()) return options.label_names;
  if (!data.label_names.empty()) return data.label_names;
  std::vector<std::string> names;
  const int64_t largest = data.examples.labels.max().item<int64_t>();
  for (int64_t c = 0; c <= largest; ++c) names.push_back(absl::StrCat(c));
  return names;
}

}  // namespace

absl::StatusOr<Pool> LoadPool(const DataOptions& options, const InputSettings& settings,
                              const std::vector<std::string>& classes) {
  HYDRA_ASSIGN_OR_RETURN(const DataSpec spec, ParseDataSpec(options.data));
  Pool pool;
  HYDRA_ASSIGN_OR_RETURN(pool.data, LoadData(spec, settings));
  if (!pool.data.labelled()) {
    return absl::InvalidArgumentError(
        absl::StrCat("data: got ", options.data, " without labels, want labelled data"));
  }
  HYDRA_ASSIGN_OR_RETURN(ClassChoice choice,
                         ChooseClasses(options, options.data, std::move(pool.data)));
  pool.data = std::move(choice.kept);
  pool.classes = classes.empty() ? OwnClasses(options, pool.data) : classes;
  HYDRA_RETURN_IF_ERROR(MatchLabels(pool.classes, {options.data, options.match_labels}, pool.data));
  HYDRA_ASSIGN_OR_RETURN(pool.splits,
                         data::SplitPool(pool.data.digests, options.splits, options.split_seed));
  return pool;
}

}  // namespace hydra::builder
