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
#include "model/builder/networks/text_inputs.h"
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
constexpr char kText[] = "/text.json";
constexpr char kTokenizer[] = "/tokenizer.json";
constexpr char kWeights[] = "/weights.safetensors";

absl::StatusOr<StoredNetwork> ReadCheckpoint(const std::string& directory) {
  HYDRA_ASSIGN_OR_RETURN(nn::Checkpoint checkpoint, nn::ImportCheckpoint(directory));
  StoredNetwork stored{.family = std::move(checkpoint.family),
                       .network = std::move(checkpoint.network),
                       .labels = std::move(checkpoint.labels),
                       .base_digest = std::move(checkpoint.digest)};
  if (artifact::IsImageFamily(stored.family)) {
    stored.inputs.image = std::move(checkpoint.image_settings);
    return stored;
  }
  HYDRA_ASSIGN_OR_RETURN(stored.inputs,
                         ReadTextInputs(directory, stored.network.geometry.max_positions));
  return stored;
}

absl::Status ReadOwnInputs(const std::string& directory, const artifact::Manifest& manifest,
                           InputSettings& inputs) {
  const bool images = artifact::IsImageFamily(manifest.family);
  HYDRA_ASSIGN_OR_RETURN(const std::string settings,
                         base::ReadFile(directory + (images ? kImage : kText), kMaxJsonBytes));
  if (images) {
    HYDRA_ASSIGN_OR_RETURN(inputs.image, codec::ParseImageSettings(settings, manifest));
    return absl::OkStatus();
  }
  HYDRA_ASSIGN_OR_RETURN(inputs.text, codec::ParseTextSettings(settings, manifest));
  HYDRA_ASSIGN_OR_RETURN(inputs.tokenizer_json,
                         base::ReadFile(directory + kTokenizer, kMaxJsonBytes));
  return absl::OkStatus();
}

absl::Status WriteInputs(const InputSettings& inputs, const std::string& directory) {
  if (inputs.image.has_value()) {
    HYDRA_ASSIGN_OR_RETURN(const std::string image, codec::EncodeImageSettings(*inputs.image));
    return base::WriteFileAtomically(directory + kImage, image);
  }
  HYDRA_ASSIGN_OR_RETURN(const std::string text, codec::EncodeTextSettings(*inputs.text));
  HYDRA_RETURN_IF_ERROR(base::WriteFileAtomically(directory + kText, text));
  return base::WriteFileAtomically(directory + kTokenizer, *inputs.tokenizer_json);
}

absl::StatusOr<StoredNetwork> ReadOwn(const std::string& directory) {
  HYDRA_ASSIGN_OR_RETURN(const std::string manifest_text,
                         base::ReadFile(directory + kManifest, kMaxJsonBytes));
  HYDRA_ASSIGN_OR_RETURN(const artifact::Manifest manifest, codec::ParseManifest(manifest_text));
  HYDRA_ASSIGN_OR_RETURN(const std::string labels,
                         base::ReadFile(directory + kLabels, kMaxJsonBytes));
  StoredNetwork stored{.family = manifest.family, .base_digest = manifest.provenance.base_digest};
  HYDRA_ASSIGN_OR_RETURN(stored.labels, codec::ParseLabels(labels, manifest));
  HYDRA_RETURN_IF_ERROR(ReadOwnInputs(directory, manifest, stored.inputs));
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
  HYDRA_ASSIGN_OR_RETURN(const std::string weights, ensemble::EncodeWeights(stored.network));
  HYDRA_RETURN_IF_ERROR(base::WriteFileAtomically(directory + kManifest, manifest_text));
  HYDRA_RETURN_IF_ERROR(base::WriteFileAtomically(directory + kLabels, labels));
  HYDRA_RETURN_IF_ERROR(WriteInputs(stored.inputs, directory));
  return base::WriteFileAtomically(directory + kWeights, weights);
}

}  // namespace hydra::builder
