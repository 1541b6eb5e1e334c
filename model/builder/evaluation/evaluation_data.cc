#include "model/builder/evaluation/evaluation_data.h"

#include <algorithm>
#include <unordered_set>

#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "model/builder/source/shift_data.h"

namespace hydra::builder {

absl::Status VisitSets(
    const EvaluationData& data,
    absl::FunctionRef<absl::Status(const std::string&, const LabelledData&)> visit) {
  HYDRA_RETURN_IF_ERROR(visit("fit", data.fit));
  HYDRA_RETURN_IF_ERROR(visit("path", data.path));
  HYDRA_RETURN_IF_ERROR(visit("proxies", data.proxies));
  HYDRA_RETURN_IF_ERROR(visit("id", data.id));
  for (const auto& [set, rows] : data.ood)
    HYDRA_RETURN_IF_ERROR(visit(absl::StrCat(kOodPrefix, set), rows));
  if (data.shift_base.digests.empty()) return absl::OkStatus();
  for (const data::Corruption corruption : data::kAllCorruptions) {
    for (size_t severity = 1; severity <= data::kSeverities; ++severity) {
      HYDRA_ASSIGN_OR_RETURN(const LabelledData shifted,
                             CorruptImages(data.shift_base, corruption, severity, data.seed));
      HYDRA_RETURN_IF_ERROR(visit(
          absl::StrCat(kShiftPrefix, std::string(data::CorruptionName(corruption)), ".", severity),
          shifted));
    }
  }
  return absl::OkStatus();
}

size_t SharedItems(const LabelledData& test, const Pool& pool) {
  const std::unordered_set<std::string> known(pool.data.digests.begin(), pool.data.digests.end());
  return static_cast<size_t>(
      std::count_if(test.digests.begin(), test.digests.end(),
                    [&](const std::string& digest) { return known.count(digest) != 0; }));
}

}  // namespace hydra::builder
