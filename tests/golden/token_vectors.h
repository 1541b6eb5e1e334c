// Reads tokenizers/vectors.json.gz, which make_token_vectors.py wrote.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hydra::golden {

struct ReferenceIds {
  std::vector<int64_t> ids;
  size_t truncated = 0;
};

struct TokenCase {
  std::string name;                  // its folder below tests/golden/tokenizers
  std::vector<ReferenceIds> first;   // of the first texts, in full
  std::vector<std::string> digests;  // of every text
};

struct TokenVectors {
  size_t max_tokens = 0;
  std::vector<std::string> texts;
  std::vector<TokenCase> cases;
};

// Ends the test program with a message when the file is missing or malformed.
const TokenVectors& LoadTokenVectors();

// The folder of a case: tokenizer.json, and the same tokenizer as files in vocabulary/.
std::string TokenizerFolder(const std::string& name);

// What TokenCase::digests holds for such ids.
std::string DigestOf(const std::vector<int64_t>& ids, size_t truncated);

}  // namespace hydra::golden
