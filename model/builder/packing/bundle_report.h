// The report page of a bundle, filled from its documents and an evaluation.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "model/artifact/bundle.h"
#include "model/report/report_data.h"

namespace hydra::builder {

// Outputs of steps; an empty path leaves its part of the page out.
struct ReportSources {
  std::string evaluation;      // of evaluate
  std::string interpretation;  // of interpret: its maps; what it found is in the head map
};

// Errors: as ReadEvaluation, ReadInterpretation and the metrics.
absl::StatusOr<report::ReportData> FillReport(const artifact::BundleDocuments& documents,
                                              const ReportSources& sources);

// Errors: as FillReport and report::RenderReport.
absl::StatusOr<std::string> RenderBundleReport(const artifact::BundleDocuments& documents,
                                               const ReportSources& sources);

}  // namespace hydra::builder
