#include "model/builder/calibrating/stored_calibration.h"

#include "model/artifact/codec/calibration_codec.h"
#include "model/base/file.h"
#include "model/base/sha256.h"
#include "model/base/status_macros.h"
#include "model/ensemble/bundle_weights.h"

namespace hydra::builder {
namespace {

constexpr size_t kMaxCalibrationBytes = size_t{256} << 20;
constexpr size_t kMaxSplitsBytes = size_t{4} << 30;

}  // namespace

absl::StatusOr<StoredCalibration> ReadCalibration(const std::string& directory,
                                                  const StoredNetwork& network) {
  HYDRA_ASSIGN_OR_RETURN(const std::string text,
                         base::ReadFile(directory + "/calibration.json", kMaxCalibrationBytes));
  artifact::Manifest manifest{.family = network.family, .geometry = network.network.geometry};
  ensemble::DescribeNetwork(network.network, manifest);
  StoredCalibration stored{.calibration = {}, .digest = base::Sha256Hex(text)};
  HYDRA_ASSIGN_OR_RETURN(stored.calibration, artifact::codec::ParseCalibration(text, manifest));
  return stored;
}

absl::StatusOr<SplitItems> ReadSplitItems(const std::string& directory) {
  HYDRA_ASSIGN_OR_RETURN(const std::string text,
                         base::ReadFile(directory + "/splits.json", kMaxSplitsBytes));
  return ParseSplitItems(text);
}

}  // namespace hydra::builder
