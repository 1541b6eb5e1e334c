// A bundle, verified as a whole: what the server and the builder read of a packed ensemble.
// docs/bundle-format.md describes every file and key.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "model/artifact/calibration.h"
#include "model/artifact/golden_answers.h"
#include "model/artifact/head_map.h"
#include "model/artifact/image_settings.h"
#include "model/artifact/manifest.h"
#include "model/artifact/tensor_file.h"
#include "model/artifact/text_settings.h"

namespace hydra::artifact {

struct OpenOptions {
  size_t max_file_bytes = size_t{16} << 30;   // any one file; JSON files have a cap of their own
  size_t max_total_bytes = size_t{32} << 30;  // all files together
};

// The parts of a bundle that are not tensors of the network.  `labels[c]` names class c.
struct BundleDocuments {
  Manifest manifest;
  Calibration calibration;
  std::vector<std::string> labels;
  std::optional<ImageSettings> image_settings;  // image families
  std::optional<TextSettings> text_settings;    // text families
  std::optional<std::string> tokenizer_json;    // text families
  std::optional<HeadMap> head_map;
  GoldenAnswers golden;
  std::optional<std::string> policy_json;  // a JSON object; server/policy reads it
  std::optional<std::string> report_html;
};

// Immutable, movable, thread-safe once made.
class Bundle {
 public:
  // Opens a directory or a .tar.  Every file is read once; the bytes that were hashed are the bytes
  // that are used.  Errors: NOT_FOUND no such path or a missing file; INVALID_ARGUMENT a file that
  // breaks the format (names the file and the field: "manifest.json: layers[3].heads[1][0]: got 12,
  // want < 12"), a wrong hash, a file that SHA256SUMS does not list, a symbolic link;
  // RESOURCE_EXHAUSTED a size above the limits; INTERNAL any other system error.
  static absl::StatusOr<Bundle> Open(const std::string& path, const OpenOptions& options = {});

  // The same for files in memory, by their path inside the bundle.
  static absl::StatusOr<Bundle> Parse(std::map<std::string, std::string> files);

  const Manifest& manifest() const { return documents_.manifest; }
  const Calibration& calibration() const { return documents_.calibration; }
  const std::vector<std::string>& labels() const { return documents_.labels; }
  const std::optional<ImageSettings>& image_settings() const { return documents_.image_settings; }
  const std::optional<TextSettings>& text_settings() const { return documents_.text_settings; }
  const std::optional<std::string>& tokenizer_json() const { return documents_.tokenizer_json; }
  const std::optional<HeadMap>& head_map() const { return documents_.head_map; }
  const GoldenAnswers& golden() const { return documents_.golden; }
  const std::optional<std::string>& policy_json() const { return documents_.policy_json; }
  const std::optional<std::string>& report_html() const { return documents_.report_html; }
  const TensorFile& weights() const { return weights_; }
  const std::optional<TensorFile>& novelty() const { return novelty_; }

  // sha256 of SHA256SUMS, hence of everything but the signature; policies and receipts bind to it.
  const std::string& digest() const { return digest_; }
  const std::string& weights_digest() const { return weights_digest_; }

  // For a signature check: the signed text and the bytes of SHA256SUMS.sig, if there.
  const std::string& checksums() const { return checksums_; }
  const std::optional<std::string>& signature() const { return signature_; }

 private:
  Bundle(BundleDocuments documents, TensorFile weights)
      : documents_(std::move(documents)), weights_(std::move(weights)) {}

  BundleDocuments documents_;
  TensorFile weights_;
  std::optional<TensorFile> novelty_;
  std::string digest_;
  std::string weights_digest_;
  std::string checksums_;
  std::optional<std::string> signature_;
};

}  // namespace hydra::artifact
