// What tokenizer.json may name around its model; the lists are in tokenizer_json.h.
#pragma once

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"

namespace hydra::text {

// Each returns its argument, null included, or FAILED_PRECONDITION.
absl::StatusOr<nlohmann::json> CheckNormalizer(const nlohmann::json& normalizer);
absl::StatusOr<nlohmann::json> CheckPreTokenizer(const nlohmann::json& pre_tokenizer);
absl::StatusOr<nlohmann::json> CheckPostProcessor(const nlohmann::json& post_processor);

// CLIP's split into words, as the reference library writes it.
extern const char kClipWords[];

}  // namespace hydra::text
