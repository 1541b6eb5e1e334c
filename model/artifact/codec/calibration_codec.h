// calibration.json <-> Calibration.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/artifact/calibration.h"
#include "model/artifact/manifest.h"

namespace hydra::artifact::codec {

inline constexpr char kCalibrationFile[] = "calibration.json";

// Reads and checks the whole document: pairwise different splits, tables with ascending thresholds
// and errors <= accepted <= n, scores that exist for `manifest`'s number of members.
// Errors: INVALID_ARGUMENT, naming the field.
absl::StatusOr<Calibration> ParseCalibration(absl::string_view text, const Manifest& manifest);

// Writes any calibration; ParseCalibration decides whether it is a good one.
// Errors: INVALID_ARGUMENT a text that is not UTF-8.
absl::StatusOr<std::string> EncodeCalibration(const Calibration& calibration);

}  // namespace hydra::artifact::codec
