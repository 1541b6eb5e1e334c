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

}  // namespace

absl::StatusOr<ClassChoice> ChooseClasses(const DataOptions& options, const std::string& what,
                                          LabelledData data) {
  if (options.classes.empty()) return ClassChoice{.kept = std::move(data), .others = {}};
  const std::vector<std::string>& names =
      data.label_names.empty() ? options.label_names : data.label_names;
  if (!data.labelled() ||
      data.examples.labels.max().item<int64_t>() >= static_cast<int64_t>(names.size())) {
    return absl::InvalidArgumentError(absl::StrCat(
        what, ": got a label without a name or no labels, want label_names to choose classes by"));
  }
  HYDRA_ASSIGN_OR_RETURN(const std::vector<int64_t> places, Places(options.classes, names));
  const at::Tensor placed = at::tensor(places, at::kLong).index_select(0, data.examples.labels);
  std::vector<size_t> kept, others;
  const int64_t* values = placed.data_ptr<int64_t>();
  for (size_t row = 0; row < data.examples.size(); ++row)
    (values[row] == kOther ? others : kept).push_back(row);
  if (kept.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, ": got no row of ", absl::StrJoin(options.classes, ", ")));
  }
  ClassChoice choice{.kept = SelectRows(data, kept), .others = SelectRows(data, others)};
  choice.kept.examples.labels = placed.masked_select(placed.ne(kOther));
  choice.kept.label_names = options.classes;
  return choice;
}

}  // namespace hydra::builder
