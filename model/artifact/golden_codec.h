// golden.json + golden.safetensors <-> GoldenAnswers.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/artifact/golden_answers.h"
#include "model/artifact/manifest.h"

namespace hydra::artifact {

inline constexpr char kGoldenFile[] = "golden.json";
inline constexpr char kGoldenTensorsFile[] = "golden.safetensors";

// `tensors` holds float32 "inputs" [B, channels, height, width] or int64 "token_ids" and
// "attention_mask" [B, T], and float32 "logits" [M, B, C]; all finite.
// Errors: INVALID_ARGUMENT, naming the field; NOT_FOUND a missing tensor.
absl::StatusOr<GoldenAnswers> ParseGolden(absl::string_view text, std::string tensors,
                                          const Manifest& manifest);

// Errors: INVALID_ARGUMENT buffers that do not fit B, M, C of `golden`.
absl::StatusOr<std::string> EncodeGolden(const GoldenAnswers& golden);
absl::StatusOr<std::string> EncodeGoldenTensors(const GoldenAnswers& golden,
                                                const Manifest& manifest);

}  // namespace hydra::artifact
