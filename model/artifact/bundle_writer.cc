#include "model/artifact/bundle_writer.h"

#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "model/artifact/bundle_layout.h"
#include "model/artifact/codec/calibration_codec.h"
#include "model/artifact/codec/head_map_codec.h"
#include "model/artifact/codec/manifest_codec.h"
#include "model/artifact/codec/preprocess_codec.h"
#include "model/artifact/container/checksums.h"
#include "model/artifact/container/directory.h"
#include "model/artifact/container/tar_archive.h"
#include "model/artifact/golden_codec.h"
#include "model/base/file.h"
#include "model/base/sha256.h"
#include "model/base/status_macros.h"

namespace hydra::artifact {
namespace {

using container::FileMap;

absl::Status EncodeRequired(const BundleDocuments& documents, FileMap& files) {
  HYDRA_ASSIGN_OR_RETURN(files[codec::kManifestFile], codec::EncodeManifest(documents.manifest));
  HYDRA_ASSIGN_OR_RETURN(files[codec::kCalibrationFile],
                         codec::EncodeCalibration(documents.calibration));
  HYDRA_ASSIGN_OR_RETURN(files[codec::kLabelsFile], codec::EncodeLabels(documents.labels));
  HYDRA_ASSIGN_OR_RETURN(files[kGoldenFile], EncodeGolden(documents.golden));
  HYDRA_ASSIGN_OR_RETURN(files[kGoldenTensorsFile],
                         EncodeGoldenTensors(documents.golden, documents.manifest));
  return absl::OkStatus();
}

absl::Status EncodeOptional(const BundleDocuments& documents, FileMap& files) {
  if (documents.image_settings.has_value()) {
    HYDRA_ASSIGN_OR_RETURN(files[codec::kImageFile],
                           codec::EncodeImageSettings(*documents.image_settings));
  }
  if (documents.text_settings.has_value()) {
    HYDRA_ASSIGN_OR_RETURN(files[codec::kTextFile],
                           codec::EncodeTextSettings(*documents.text_settings));
  }
  if (documents.head_map.has_value()) {
    HYDRA_ASSIGN_OR_RETURN(files[codec::kHeadMapFile], codec::EncodeHeadMap(*documents.head_map));
  }
  if (documents.tokenizer_json.has_value()) files[kTokenizerFile] = *documents.tokenizer_json;
  if (documents.policy_json.has_value()) files[kPolicyFile] = *documents.policy_json;
  if (documents.report_html.has_value()) files[kReportFile] = *documents.report_html;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::map<std::string, std::string>> EncodeBundle(const BundleContents& contents) {
  FileMap files;
  HYDRA_RETURN_IF_ERROR(EncodeRequired(contents.documents, files));
  HYDRA_RETURN_IF_ERROR(EncodeOptional(contents.documents, files));
  files[kWeightsFile] = contents.weights;
  if (contents.novelty.has_value()) files[kNoveltyFile] = *contents.novelty;
  files[container::kChecksumsFile] = container::EncodeChecksums(files);
  HYDRA_RETURN_IF_ERROR(Bundle::Parse(files).status());
  return files;
}

absl::StatusOr<std::string> WriteBundle(const BundleContents& contents,
                                        const std::string& directory) {
  HYDRA_ASSIGN_OR_RETURN(const FileMap files, EncodeBundle(contents));
  HYDRA_RETURN_IF_ERROR(container::WriteDirectory(files, directory));
  return base::Sha256Hex(files.at(container::kChecksumsFile));
}

absl::StatusOr<std::string> WriteBundleTar(const BundleContents& contents,
                                           const std::string& path) {
  HYDRA_ASSIGN_OR_RETURN(const FileMap files, EncodeBundle(contents));
  HYDRA_ASSIGN_OR_RETURN(const std::string archive, container::EncodeTar(files));
  std::error_code error;
  if (std::filesystem::exists(std::filesystem::symlink_status(path, error))) {
    return absl::AlreadyExistsError(absl::StrCat(path, ": already there"));
  }
  HYDRA_RETURN_IF_ERROR(base::WriteFileAtomically(path, archive));
  return base::Sha256Hex(files.at(container::kChecksumsFile));
}

}  // namespace hydra::artifact
