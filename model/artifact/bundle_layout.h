// Names of a bundle's files; those of the JSON documents are beside their codecs.
#pragma once

#include <cstddef>

#include "absl/strings/string_view.h"

namespace hydra::artifact {

inline constexpr char kWeightsFile[] = "weights.safetensors";
inline constexpr char kNoveltyFile[] = "novelty.safetensors";
inline constexpr char kTokenizerFile[] = "preprocess/tokenizer.json";
inline constexpr char kPolicyFile[] = "policy.json";
inline constexpr char kReportFile[] = "report/index.html";

// Cap of a JSON or HTML file; a tokenizer.json of a large vocabulary has about 20 MB.
inline constexpr size_t kMaxDocumentBytes = 64 << 20;

// True for every path that format version 1 knows.
bool IsBundleFile(absl::string_view path);

}  // namespace hydra::artifact
