// Text to token ids, equal to the reference library's fast tokenizers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/artifact/text_settings.h"

struct HydraTokenizer;

namespace hydra::text {

struct TokenizedText {
  std::vector<int64_t> ids;     // special tokens included, at most max_tokens; not padded
  size_t truncated_tokens = 0;  // tokens of the text that did not fit
};

// The costliest text (words of 100 characters that fall apart into single ones) takes 4 s and the
// one with the most tokens 230 MB a MiB with BERT's vocabulary: the default is a second of work.
struct TokenizerLimits {
  size_t max_text_bytes = size_t{256} << 10;  // of UTF-8
};

// One tokenizer.json.  Immutable, thread-safe, cheap to copy: copies share the vocabulary, which
// lives until the last of them is gone.
class Tokenizer {
 public:
  // Truncation and padding in `tokenizer_json` are ignored: `settings` decides.
  // Errors: INVALID_ARGUMENT settings without room for one token beside the special ones, or a
  // negative pad_token; FAILED_PRECONDITION a tokenizer.json that is malformed, too large or holds
  // a component outside the supported set (tokenizer_json.h).
  static absl::StatusOr<Tokenizer> Create(absl::string_view tokenizer_json,
                                          const artifact::TextSettings& settings,
                                          TokenizerLimits limits = {});

  // The ids of `utf8`, cut on the right to max_tokens as `truncation=True, max_length=max_tokens`
  // does.  The empty text gives the special tokens alone.
  // Errors: INVALID_ARGUMENT invalid UTF-8 (names the offset of the byte) or more than
  // max_text_bytes; FAILED_PRECONDITION the tokenizer cannot represent the text.
  absl::StatusOr<TokenizedText> Encode(absl::string_view utf8) const;

  const artifact::TextSettings& settings() const { return settings_; }

  // No id that Encode returns is larger; an embedding table needs more rows than this.
  int64_t largest_id() const;

 private:
  using Handle = std::shared_ptr<const HydraTokenizer>;  // owned by all copies

  Tokenizer(Handle handle, const artifact::TextSettings& settings, TokenizerLimits limits);

  Handle handle_;
  artifact::TextSettings settings_;
  TokenizerLimits limits_;
};

}  // namespace hydra::text
