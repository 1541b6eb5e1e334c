#include "model/builder/source/class_choice.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "model/base/status_macros.h"

namespace hydra::builder {
namespace {

constexpr int64_t kOther = -1;

// For each label its place among the classes, or kOther.
absl::StatusOr<std::vector<int64_t>> Places(const std::vector<std::string>& classes,
                                            const std::vector<std::string>& names) {
  std::vector<int64_t> places(names.size(), kOther);
  for (size_t c = 0; c < classes.size(); ++c) {
    const auto found = std::find(names.begin(), names.end(), classes[c]);
    if (found == names.end()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "classes: got \"", classes[c], "\", want names among ", absl::StrJoin(names, ", ")));
    }
    places[static_cast<size_t>(found - names.begin())] = static_cast<int64_t>(c);
  }
  return places;
}

std::vector<std::string> Without(const std::vector<std::string>& names,
                                 const std::vector<std::string>& excluded) {
  std::vector<std::string> rest;
  for (const std::string& name : names) {
    if (std::find(excluded.begin(), excluded.end(), name) == excluded.end()) rest.push_back(name);
  }
  return rest;
}

}  // namespace

absl::StatusOr<ClassChoice> ChooseClasses(const DataOptions& options, const std::string& what,
                                          LabelledData data) {
  ClassChoice choice;
  if (options.classes.empty() && options.held_out_classes.empty()) {
    choice.kept = std::move(data);
    return choice;
  }
  const std::vector<std::string>& names =
      data.label_names.empty() ? options.label_names : data.label_names;
  if (!data.labelled() ||
      data.examples.labels.max().item<int64_t>() >= static_cast<int64_t>(names.size())) {
    return absl::InvalidArgumentError(absl::StrCat(
        what, ": got a label without a name or no labels, want label_names to choose classes by"));
  }
  HYDRA_ASSIGN_OR_RETURN(const std::vector<int64_t> held_out,
                         Places(options.held_out_classes, names));
  const std::vector<std::string> wanted =
      Without(options.classes.empty() ? names : options.classes, options.held_out_classes);
  HYDRA_ASSIGN_OR_RETURN(const std::vector<int64_t> places, Places(wanted, names));
  std::vector<size_t> kept, others, held_out_rows;
  std::vector<int64_t> kept_labels;
  const int64_t* labels = data.examples.labels.data_ptr<int64_t>();
  for (size_t row = 0; row < data.examples.size(); ++row) {
    const auto label = static_cast<size_t>(labels[row]);
    if (places[label] != kOther) kept_labels.push_back(places[label]);
    (places[label] != kOther     ? kept
     : held_out[label] != kOther ? held_out_rows
                                 : others)
        .push_back(row);
  }
  if (kept.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, ": got no row of ", absl::StrJoin(wanted, ", ")));
  }
  choice.kept = SelectRows(data, kept);
  choice.held_out = SelectRows(data, held_out_rows);
  choice.others = SelectRows(data, others);
  choice.kept.examples.labels = at::tensor(kept_labels, at::kLong);
  choice.kept.label_names = wanted;
  return choice;
}

}  // namespace hydra::builder
