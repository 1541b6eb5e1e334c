#include "model/builder/source/final_data.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "model/base/sha256.h"
#include "model/base/status_macros.h"
#include "model/builder/source/class_choice.h"

namespace hydra::builder {

absl::StatusOr<FinalData> LoadFinalData(const DataOptions& options, const InputSettings& settings,
                                        const std::vector<std::string>& labels) {
  if (options.test.empty()) {
    return absl::FailedPreconditionError("test: got none, want the test set of a final evaluation");
  }
  HYDRA_ASSIGN_OR_RETURN(const DataSpec spec, ParseDataSpec(options.test));
  HYDRA_ASSIGN_OR_RETURN(LabelledData test, LoadData(spec, settings));
  if (!test.labelled()) {
    return absl::InvalidArgumentError(
        absl::StrCat("test: got ", options.test, " without labels, want labelled data"));
  }
  HYDRA_ASSIGN_OR_RETURN(ClassChoice choice, ChooseClasses(options, options.test, std::move(test)));
  FinalData data{.id = std::move(choice.kept), .ood = {}, .near = {}};
  HYDRA_RETURN_IF_ERROR(MatchLabels(labels, {options.test, options.match_labels}, data.id));
  if (!choice.others.digests.empty()) data.ood[kOtherClasses] = std::move(choice.others);
  if (!choice.held_out.digests.empty()) {
    data.ood[kHeldOutClasses] = std::move(choice.held_out);
    data.near.insert(kHeldOutClasses);
  }
  for (const std::string& text : options.ood) {
    HYDRA_ASSIGN_OR_RETURN(const auto named, ParseNamedDataSpec(text));
    HYDRA_ASSIGN_OR_RETURN(data.ood[named.first], LoadData(named.second, settings));
  }
  for (const std::string& set : options.near_ood) {
    if (data.ood.count(set) == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("near_ood: got \"", set, "\", want the name of an OOD set"));
    }
    data.near.insert(set);
  }
  for (auto& [set, items] : data.ood) items.examples.labels = at::Tensor();
  return data;
}

std::string SetDigest(const LabelledData& data) {
  std::vector<std::string> digests = data.digests;
  std::sort(digests.begin(), digests.end());
  base::Sha256 sha;
  for (const std::string& digest : digests) sha.Update(digest);
  return std::move(sha).HexDigest();
}

}  // namespace hydra::builder
