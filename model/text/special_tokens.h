// Which special tokens a checkpoint without tokenizer.json has, in the order in which the reference
// library adds them: the order decides the ids of tokens outside the vocabulary.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"

namespace hydra::text {

// The parsed files; null for one that does not exist.
struct SpecialTokenFiles {
  nlohmann::json tokenizer_config;
  nlohmann::json special_tokens_map;
  nlohmann::json added_tokens;
};

// "cls_token" and so on to the token's text.
using NamedTokens = std::map<std::string, std::string>;

struct SpecialTokens {
  NamedTokens named;
  std::vector<nlohmann::json> added;  // entries of tokenizer.json's added_tokens, with ids
};

// `defaults`: what the tokenizer's class uses where the files are silent; `vocabulary`: tokens and
// ids.  Errors: FAILED_PRECONDITION, naming the key.
absl::StatusOr<SpecialTokens> ReadSpecialTokens(const SpecialTokenFiles& files,
                                                const NamedTokens& defaults,
                                                const nlohmann::json& vocabulary);

}  // namespace hydra::text
