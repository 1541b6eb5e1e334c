// What evaluate wrote, read back for the report.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "model/builder/evaluation/systems.h"
#include "model/report/report_data.h"

namespace hydra::builder {

struct StoredEvaluation {
  bool final = false;
  std::string data_name;                 // "test" or "select"
  std::vector<EvaluatedSystem> systems;  // the ensemble first
  std::vector<report::LedgerEntry> ledger;
};

// Errors: NOT_FOUND a missing file; INVALID_ARGUMENT a file that evaluate did not write.
absl::StatusOr<StoredEvaluation> ReadEvaluation(const std::string& directory);

}  // namespace hydra::builder
