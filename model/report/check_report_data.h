// Whether the parts of a report fit together.
#pragma once

#include "absl/status/status.h"
#include "model/report/report_data.h"

namespace hydra::report {

// Errors: INVALID_ARGUMENT naming the first part whose sizes contradict each other: a table row
// with other than one value a column, a head map whose lists are not layers x members x heads, a
// histogram whose edges and shares do not match.
absl::Status CheckReportData(const ReportData& data);

}  // namespace hydra::report
