#include "model/builder/networks/stored_network.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "model/artifact/codec/manifest_codec.h"
#include "model/artifact/codec/preprocess_codec.h"
#include "model/artifact/tensor_file.h"
#include "model/base/file.h"
#include "model/base/status_macros.h"
#include "model/ensemble/bundle_weights.h"
#include "model/nn/checkpoint/checkpoint.h"

namespace hydra::builder {
namespace {

namespace codec = artifact::codec;

constexpr size_t kMaxJsonBytes = size_t{64} << 20;
constexpr size_t kMaxWeightBytes = size_t{16} << 30;
constexpr char kManifest[] = "/manifest.json";
constexpr char kLabels[] = "/labels.json";
constexpr char kImage[] = "/image.json";
constexpr char kWeights[] = "/weights.safetensors";

absl::StatusOr<StoredNetwork> ReadCheckpoint(const std::string& directory) {
  HYDRA_ASSIGN_OR_RETURN(nn::Checkpoint checkpoint, nn::ImportCheckpoint(directory));
  return StoredNetwork{std::move(checkpoint.family), std::move(checkpoint.network),
                       std::move(checkpoint.labels), std::move(checkpoint.image_settings),
                       std::move(checkpoint.digest)};
}

absl::StatusOr<StoredNetwork> ReadOwn(const std::string& directory) {
  HYDRA_ASSIGN_OR_RETURN(const std::string manifest_text,
                         base::ReadFile(directory + kManifest, kMaxJsonBytes));
  HYDRA_ASSIGN_OR_RETURN(const artifact::Manifest manifest, codec::ParseManifest(manifest_text));
  HYDRA_ASSIGN_OR_RETURN(const std::string labels,
                         base::ReadFile(directory + kLabels, kMaxJsonBytes));
  HYDRA_ASSIGN_OR_RETURN(const std::string image,
                         base::ReadFile(directory + kImage, kMaxJsonBytes));
  StoredNetwork stored{.family = manifest.family, .base_digest = manifest.provenance.base_digest};
  HYDRA_ASSIGN_OR_RETURN(stored.labels, codec::ParseLabels(labels, manifest));
  HYDRA_ASSIGN_OR_RETURN(stored.image_settings, codec::ParseImageSettings(image, manifest));
  HYDRA_ASSIGN_OR_RETURN(const artifact::TensorFile weights,
                         artifact::TensorFile::Open(directory + kWeights, kMaxWeightBytes));
  HYDRA_ASSIGN_OR_RETURN(stored.network, ensemble::DecodeWeights(manifest, weights));
  return stored;
}

}  // namespace

absl::StatusOr<StoredNetwork> ReadNetwork(const std::string& directory) {
  std::error_code error;
  if (std::filesystem::exists(directory + "/config.json", error)) return ReadCheckpoint(directory);
  return ReadOwn(directory);
}

absl::Status WriteNetwork(const StoredNetwork& stored, const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    return absl::InternalError(absl::StrCat(directory, ": cannot create: ", error.message()));
  }
  artifact::Manifest manifest{
      .name = "network",
      .family = stored.family,
      .geometry = stored.network.geometry,
      .provenance = {.base_digest = stored.base_digest, .tool_version = HYDRA_VERSION}};
  ensemble::DescribeNetwork(stored.network, manifest);
  HYDRA_ASSIGN_OR_RETURN(const std::string manifest_text, codec::EncodeManifest(manifest));
  HYDRA_ASSIGN_OR_RETURN(const std::string labels, codec::EncodeLabels(stored.labels));
  HYDRA_ASSIGN_OR_RETURN(const std::string image,
                         codec::EncodeImageSettings(stored.image_settings));
  HYDRA_ASSIGN_OR_RETURN(const std::string weights, ensemble::EncodeWeights(stored.network));
  HYDRA_RETURN_IF_ERROR(base::WriteFileAtomically(directory + kManifest, manifest_text));
  HYDRA_RETURN_IF_ERROR(base::WriteFileAtomically(directory + kLabels, labels));
  HYDRA_RETURN_IF_ERROR(base::WriteFileAtomically(directory + kImage, image));
  return base::WriteFileAtomically(directory + kWeights, weights);
}

}  // namespace hydra::builder
