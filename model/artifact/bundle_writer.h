// Writes bundles that Bundle::Open accepts.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/artifact/bundle.h"

namespace hydra::artifact {

struct BundleContents {
  BundleDocuments documents;
  std::string weights;                 // bytes of weights.safetensors (EncodeTensors)
  std::optional<std::string> novelty;  // bytes of novelty.safetensors
};

// The bundle's files by their path, SHA256SUMS included.  Equal contents, equal bytes.
// Errors: INVALID_ARGUMENT whatever Bundle::Parse would refuse.
absl::StatusOr<std::map<std::string, std::string>> EncodeBundle(const BundleContents& contents);

// Writes a temporary directory beside `directory`, fsyncs every file and folder, then renames: the
// bundle appears whole or not at all.  Returns its digest.
// Errors: ALREADY_EXISTS `directory` exists; INVALID_ARGUMENT as EncodeBundle; INTERNAL the
// system's reason.
absl::StatusOr<std::string> WriteBundle(const BundleContents& contents,
                                        const std::string& directory);

// The same bundle as one uncompressed ustar file.  Errors: as WriteBundle.
absl::StatusOr<std::string> WriteBundleTar(const BundleContents& contents, const std::string& path);

}  // namespace hydra::artifact
