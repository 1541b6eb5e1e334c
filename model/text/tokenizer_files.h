// A tokenizer from a checkpoint directory, also where only vocabulary files exist.
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace hydra::text {

// The tokenizer.json of the directory when it has one.  Otherwise the one that the reference
// library (transformers 5) builds from vocab.txt (BERT, DistilBERT), or vocab.json and merges.txt
// (RoBERTa, CLIP), with the settings of tokenizer_config.json, special_tokens_map.json and
// added_tokens.json; the class comes from tokenizer_config.json or config.json.
// Errors: NOT_FOUND no tokenizer; UNIMPLEMENTED another class, cutting on the left, or special
// tokens read as text; FAILED_PRECONDITION a malformed file.  Each message names the file.
absl::StatusOr<std::string> LoadTokenizerJson(const std::string& checkpoint_directory);

}  // namespace hydra::text
