// The sections of the page in reading order; a section whose data is empty is left out.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "model/report/report_data.h"

namespace hydra::report {

struct Section {
  std::string anchor;
  std::string title;
  std::string html;  // the content under the title
};

// `data` has passed CheckReportData.  Errors: INVALID_ARGUMENT for a certificate table that
// contradicts itself.
absl::StatusOr<std::vector<Section>> RenderSections(const ReportData& data);

}  // namespace hydra::report
