// The numbers of the plots as JSON, in the shape that assets/report.js reads.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "model/report/report_data.h"

namespace hydra::report {

// Errors: INVALID_ARGUMENT for a certificate table that contradicts itself.  The other parts of
// `data` have passed CheckReportData.
absl::StatusOr<std::string> PlotData(const ReportData& data);

}  // namespace hydra::report
