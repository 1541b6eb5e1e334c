// The tokenizer.json that the reference library (transformers 5) builds from vocabulary files.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "model/text/special_tokens.h"
#include "nlohmann/json.hpp"

namespace hydra::text {

struct TokenizerSources {
  std::string vocabulary;  // vocab.txt or vocab.json
  std::string merges;      // merges.txt; empty for BERT
  SpecialTokenFiles files;
};

// Errors: FAILED_PRECONDITION, naming the file and the key.
absl::StatusOr<nlohmann::json> BertTokenizerJson(const TokenizerSources& sources);
absl::StatusOr<nlohmann::json> RobertaTokenizerJson(const TokenizerSources& sources);
absl::StatusOr<nlohmann::json> ClipTokenizerJson(const TokenizerSources& sources);

}  // namespace hydra::text
