#include "model/builder/source/pool.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"

namespace hydra::builder {
namespace {

// The names given by the user, else the data's, else the numbers themselves.
absl::StatusOr<std::vector<std::string>> NameLabels(const DataOptions& options,
                                                    const LabelledImages& data) {
  const auto classes = static_cast<size_t>(data.images.labels.max().item<int64_t>()) + 1;
  std::vector<std::string> names =
      options.label_names.empty() ? data.label_names : options.label_names;
  if (names.empty()) {
    for (size_t c = 0; c < classes; ++c) names.push_back(absl::StrCat(c));
  }
  if (names.size() < classes) {
    return absl::InvalidArgumentError(absl::StrCat("label_names: got ", names.size(),
                                                   " names, want at least the ", classes,
                                                   " classes of ", options.data));
  }
  return names;
}

}  // namespace

absl::StatusOr<Pool> LoadPool(const DataOptions& options, const artifact::ImageSettings& settings) {
  HYDRA_ASSIGN_OR_RETURN(const DataSpec spec, ParseDataSpec(options.data));
  Pool pool;
  HYDRA_ASSIGN_OR_RETURN(pool.data, LoadImages(spec, settings));
  if (!pool.data.labelled()) {
    return absl::InvalidArgumentError(
        absl::StrCat("data: got ", options.data, " without labels, want labelled data"));
  }
  HYDRA_ASSIGN_OR_RETURN(pool.label_names, NameLabels(options, pool.data));
  HYDRA_ASSIGN_OR_RETURN(pool.splits,
                         data::SplitPool(pool.data.digests, options.splits, options.split_seed));
  return pool;
}

}  // namespace hydra::builder
