// The report of a bundle: one HTML page that needs nothing else.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "model/report/report_data.h"

namespace hydra::report {

// The page, UTF-8.  It draws its plots with the inlined Vega-Lite, makes no request, follows the
// reader's dark or light setting, and is readable without scripts but for the plots.  Parts of
// `data` that are empty have no section.  Its content policy admits only the page's own scripts, by
// hash.
// Errors: INVALID_ARGUMENT naming the part whose sizes contradict each other.
absl::StatusOr<std::string> RenderReport(const ReportData& data);

}  // namespace hydra::report
