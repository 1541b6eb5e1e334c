// The record of every look at the test set.
#pragma once

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "nlohmann/json_fwd.hpp"

namespace hydra::builder {

struct LedgerEntry {
  absl::Time when;
  std::string what;                // "evaluate --final"
  std::string weights_digest;      // sha256 of the ensemble's weights.safetensors
  std::string calibration_digest;  // sha256 of calibration.json
  std::string test_digest;
  size_t n = 0;
};

// Adds one line of JSON to `path` and fsyncs.  Errors: INTERNAL the system's reason.
absl::Status AppendToLedger(const std::string& path, const LedgerEntry& entry);

// All entries, oldest first; none if there is no file.
// Errors: FAILED_PRECONDITION a line that is not an entry, with its number.
absl::StatusOr<nlohmann::ordered_json> ReadLedger(const std::string& path);

}  // namespace hydra::builder
