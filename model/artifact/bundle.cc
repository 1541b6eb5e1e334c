#include "model/artifact/bundle.h"

#include <filesystem>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "model/artifact/bundle_layout.h"
#include "model/artifact/codec/calibration_codec.h"
#include "model/artifact/codec/head_map_codec.h"
#include "model/artifact/codec/json_reader.h"
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

// Files of a bundle by path; what is taken is gone, so that a large file is held once.
class FileSource {
 public:
  explicit FileSource(FileMap files) : files_(std::move(files)) {}

  bool Has(const char* path) const { return files_.count(path) != 0; }

  absl::StatusOr<std::string> Take(const char* path) {
    auto node = files_.extract(path);
    if (node.empty()) return absl::NotFoundError(absl::StrCat(path, ": missing file"));
    return std::move(node.mapped());
  }

  // As Take, for JSON and HTML, whose parsed form is many times larger than the text.
  absl::StatusOr<std::string> TakeDocument(const char* path) {
    HYDRA_ASSIGN_OR_RETURN(std::string text, Take(path));
    if (text.size() <= kMaxDocumentBytes) return text;
    return absl::ResourceExhaustedError(
        absl::StrCat(path, ": got ", text.size(), " bytes, want at most ", kMaxDocumentBytes));
  }

  absl::StatusOr<std::optional<std::string>> TakeOptional(const char* path) {
    if (!Has(path)) return std::optional<std::string>();
    return TakeDocument(path);
  }

 private:
  FileMap files_;
};

absl::Status CheckJsonObject(const std::optional<std::string>& text, const char* path) {
  if (!text.has_value()) return absl::OkStatus();
  HYDRA_ASSIGN_OR_RETURN(codec::JsonDocument document, codec::JsonDocument::Parse(*text, path));
  document.root().Members({0, 100000});
  return document.Finish();
}

// Files that version 1 knows and that this family and novelty setting call for.
absl::Status CheckNames(const FileMap& files) {
  for (const auto& [path, bytes] : files) {
    if (IsBundleFile(path)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": not a file of bundle format version ", kFormatVersion));
  }
  return absl::OkStatus();
}

absl::Status CheckAbsent(const FileSource& files, const char* path, absl::string_view reason) {
  if (!files.Has(path)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(path, ": got the file, want none: ", reason));
}

absl::Status ReadImageParts(FileSource& files, BundleDocuments& documents) {
  HYDRA_RETURN_IF_ERROR(CheckAbsent(files, codec::kTextFile, "the family takes images"));
  HYDRA_RETURN_IF_ERROR(CheckAbsent(files, kTokenizerFile, "the family takes images"));
  HYDRA_ASSIGN_OR_RETURN(const std::string text, files.TakeDocument(codec::kImageFile));
  HYDRA_ASSIGN_OR_RETURN(documents.image_settings,
                         codec::ParseImageSettings(text, documents.manifest));
  return absl::OkStatus();
}

absl::Status ReadTextParts(FileSource& files, BundleDocuments& documents) {
  HYDRA_RETURN_IF_ERROR(CheckAbsent(files, codec::kImageFile, "the family takes text"));
  HYDRA_ASSIGN_OR_RETURN(const std::string text, files.TakeDocument(codec::kTextFile));
  HYDRA_ASSIGN_OR_RETURN(documents.text_settings,
                         codec::ParseTextSettings(text, documents.manifest));
  HYDRA_ASSIGN_OR_RETURN(documents.tokenizer_json, files.TakeDocument(kTokenizerFile));
  return CheckJsonObject(documents.tokenizer_json, kTokenizerFile);
}

absl::Status ReadOptionalParts(FileSource& files, BundleDocuments& documents) {
  HYDRA_ASSIGN_OR_RETURN(const auto head_map, files.TakeOptional(codec::kHeadMapFile));
  if (head_map.has_value()) {
    HYDRA_ASSIGN_OR_RETURN(documents.head_map, codec::ParseHeadMap(*head_map, documents.manifest));
  }
  HYDRA_ASSIGN_OR_RETURN(documents.policy_json, files.TakeOptional(kPolicyFile));
  HYDRA_RETURN_IF_ERROR(CheckJsonObject(documents.policy_json, kPolicyFile));
  HYDRA_ASSIGN_OR_RETURN(documents.report_html, files.TakeOptional(kReportFile));
  return absl::OkStatus();
}

absl::StatusOr<BundleDocuments> ReadDocuments(FileSource& files) {
  BundleDocuments documents;
  HYDRA_ASSIGN_OR_RETURN(std::string text, files.TakeDocument(codec::kManifestFile));
  HYDRA_ASSIGN_OR_RETURN(documents.manifest, codec::ParseManifest(text));
  const Manifest& manifest = documents.manifest;
  HYDRA_ASSIGN_OR_RETURN(text, files.TakeDocument(codec::kCalibrationFile));
  HYDRA_ASSIGN_OR_RETURN(documents.calibration, codec::ParseCalibration(text, manifest));
  HYDRA_ASSIGN_OR_RETURN(text, files.TakeDocument(codec::kLabelsFile));
  HYDRA_ASSIGN_OR_RETURN(documents.labels, codec::ParseLabels(text, manifest));
  HYDRA_RETURN_IF_ERROR(IsTextFamily(manifest.family) ? ReadTextParts(files, documents)
                                                      : ReadImageParts(files, documents));
  HYDRA_ASSIGN_OR_RETURN(text, files.TakeDocument(kGoldenFile));
  HYDRA_ASSIGN_OR_RETURN(std::string tensors, files.Take(kGoldenTensorsFile));
  HYDRA_ASSIGN_OR_RETURN(documents.golden, ParseGolden(text, std::move(tensors), manifest));
  HYDRA_RETURN_IF_ERROR(ReadOptionalParts(files, documents));
  return documents;
}

absl::StatusOr<std::optional<TensorFile>> ReadNovelty(FileSource& files, const Manifest& manifest) {
  if (!manifest.novelty.has_value()) {
    HYDRA_RETURN_IF_ERROR(CheckAbsent(files, kNoveltyFile, "manifest.json has no novelty"));
    return std::optional<TensorFile>();
  }
  HYDRA_ASSIGN_OR_RETURN(std::string bytes, files.Take(kNoveltyFile));
  return TensorFile::Parse(std::move(bytes), kNoveltyFile);
}

}  // namespace

bool IsBundleFile(absl::string_view path) {
  static constexpr const char* kPaths[] = {
      codec::kManifestFile,
      codec::kCalibrationFile,
      codec::kLabelsFile,
      codec::kImageFile,
      codec::kTextFile,
      codec::kHeadMapFile,
      kGoldenFile,
      kGoldenTensorsFile,
      kWeightsFile,
      kNoveltyFile,
      kTokenizerFile,
      kPolicyFile,
      kReportFile,
      container::kChecksumsFile,
      container::kSignatureFile,
  };
  for (const char* known : kPaths) {
    if (path == known) return true;
  }
  return false;
}

absl::StatusOr<Bundle> Bundle::Parse(std::map<std::string, std::string> files) {
  HYDRA_RETURN_IF_ERROR(CheckNames(files));
  HYDRA_ASSIGN_OR_RETURN(const auto sums, container::VerifyChecksums(files));
  FileSource source(std::move(files));
  HYDRA_ASSIGN_OR_RETURN(BundleDocuments documents, ReadDocuments(source));
  HYDRA_ASSIGN_OR_RETURN(std::string weights_bytes, source.Take(kWeightsFile));
  HYDRA_ASSIGN_OR_RETURN(TensorFile weights,
                         TensorFile::Parse(std::move(weights_bytes), kWeightsFile));
  HYDRA_ASSIGN_OR_RETURN(auto novelty, ReadNovelty(source, documents.manifest));
  Bundle bundle(std::move(documents), std::move(weights));
  bundle.novelty_ = std::move(novelty);
  bundle.weights_digest_ = sums.at(kWeightsFile);
  HYDRA_ASSIGN_OR_RETURN(bundle.checksums_, source.Take(container::kChecksumsFile));
  bundle.digest_ = base::Sha256Hex(bundle.checksums_);
  HYDRA_ASSIGN_OR_RETURN(bundle.signature_, source.TakeOptional(container::kSignatureFile));
  return bundle;
}

absl::StatusOr<Bundle> Bundle::Open(const std::string& path, const OpenOptions& options) {
  const container::ReadLimits limits{.max_file_bytes = options.max_file_bytes,
                                     .max_total_bytes = options.max_total_bytes};
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    HYDRA_ASSIGN_OR_RETURN(const std::string archive,
                           base::ReadFile(path, options.max_total_bytes));
    HYDRA_ASSIGN_OR_RETURN(FileMap files, container::ParseTar(archive, limits));
    return Parse(std::move(files));
  }
  HYDRA_ASSIGN_OR_RETURN(FileMap files, container::ReadDirectory(path, limits));
  return Parse(std::move(files));
}

}  // namespace hydra::artifact
