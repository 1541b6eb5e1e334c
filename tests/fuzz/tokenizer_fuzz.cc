// Any bytes as a text for each kind of tokenizer: INVALID_ARGUMENT, or ids within the vocabulary
// and the limit, the same each time.
#include <vector>

#include "model/base/check.h"
#include "model/text/tokenizer.h"
#include "model/text/tokenizer_files.h"
#include "tests/golden/token_vectors.h"

namespace text = hydra::text;

namespace {

constexpr size_t kMaxTokens = 12;

std::vector<text::Tokenizer> LoadAll() {
  std::vector<text::Tokenizer> tokenizers;
  for (const hydra::golden::TokenCase& one : hydra::golden::LoadTokenVectors().cases) {
    const auto json = text::LoadTokenizerJson(hydra::golden::TokenizerFolder(one.name));
    auto made = text::Tokenizer::Create(json.value(), {.max_tokens = kMaxTokens});
    tokenizers.push_back(std::move(made).value());
  }
  return tokenizers;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto& tokenizers = *new std::vector<text::Tokenizer>(LoadAll());
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const text::Tokenizer& tokenizer : tokenizers) {
    const auto tokens = tokenizer.Encode(bytes);
    if (!tokens.ok()) {
      HYDRA_CHECK(absl::IsInvalidArgument(tokens.status()));
      continue;
    }
    HYDRA_CHECK(tokens->ids.size() >= 2 && tokens->ids.size() <= kMaxTokens);
    HYDRA_CHECK(tokens->truncated_tokens == 0 || tokens->ids.size() == kMaxTokens);
    for (const int64_t id : tokens->ids) HYDRA_CHECK(id >= 0 && id <= tokenizer.largest_id());
    HYDRA_CHECK(tokenizer.Encode(bytes)->ids == tokens->ids);
  }
  return 0;
}
