// What calibrate wrote.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "model/artifact/calibration.h"
#include "model/builder/calibrating/split_items.h"
#include "model/builder/networks/stored_network.h"

namespace hydra::builder {

struct StoredCalibration {
  artifact::Calibration calibration;
  std::string digest;  // sha256 of calibration.json
};

// Errors: NOT_FOUND a missing file; INVALID_ARGUMENT a file that does not fit `network`.
absl::StatusOr<StoredCalibration> ReadCalibration(const std::string& directory,
                                                  const StoredNetwork& network);

// splits.json of the same directory.
absl::StatusOr<SplitItems> ReadSplitItems(const std::string& directory);

}  // namespace hydra::builder
