// manifest.json <-> Manifest.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/artifact/manifest.h"

namespace hydra::artifact::codec {

inline constexpr char kManifestFile[] = "manifest.json";

// Reads and checks the whole document: ranges, streams that are a partition of the members and
// refine the layer before, ascending heads below H, a branch_layer that agrees with the streams.
// Errors: INVALID_ARGUMENT, naming the field.
absl::StatusOr<Manifest> ParseManifest(absl::string_view text);

// Writes any manifest; ParseManifest decides whether it is a good one.
// Errors: INVALID_ARGUMENT a text that is not UTF-8.
absl::StatusOr<std::string> EncodeManifest(const Manifest& manifest);

}  // namespace hydra::artifact::codec
