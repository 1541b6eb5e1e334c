// The report page of a bundle, filled from its documents and an evaluation.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "model/artifact/bundle.h"
#include "model/report/report_data.h"

namespace hydra::builder {

// `evaluation`: output of evaluate; empty: the page has no measured section.
// Errors: as ReadEvaluation and the metrics.
absl::StatusOr<report::ReportData> FillReport(const artifact::BundleDocuments& documents,
                                              const std::string& evaluation);

// Errors: as FillReport and report::RenderReport.
absl::StatusOr<std::string> RenderBundleReport(const artifact::BundleDocuments& documents,
                                               const std::string& evaluation);

}  // namespace hydra::builder
