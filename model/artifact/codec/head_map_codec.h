// headmap.json <-> HeadMap.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/artifact/head_map.h"
#include "model/artifact/manifest.h"

namespace hydra::artifact::codec {

inline constexpr char kHeadMapFile[] = "headmap.json";

// Checks that the kept heads are those of `manifest` and that the overlap is what they give.
// Errors: INVALID_ARGUMENT, naming the field.
absl::StatusOr<HeadMap> ParseHeadMap(absl::string_view text, const Manifest& manifest);

// Errors: INVALID_ARGUMENT a text that is not UTF-8.
absl::StatusOr<std::string> EncodeHeadMap(const HeadMap& head_map);

}  // namespace hydra::artifact::codec
