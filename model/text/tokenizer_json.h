// The subset of tokenizer.json that Hydra runs: what BERT, DistilBERT, RoBERTa and CLIP write.
//
// A tokenizer.json comes from a bundle and is not trusted.  The crate would also run regular
// expressions with exponential time, replacements that grow the text at each step and recursive
// patterns; the subset leaves these out, so the cost of a text depends on its length alone.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace hydra::text {

// The same tokenizer with nothing that the check did not read: no truncation, padding or decoder,
// the model's type written out.  The crate reads this text, never the original.
//   model           WordPiece (words of at most 200 characters), BPE (no dropout)
//   normalizer      BertNormalizer, Lowercase, NFC, NFD, NFKC, NFKD, Strip, StripAccents, Replace
//                   (that does not lengthen the text)
//   pre_tokenizer   BertPreTokenizer, ByteLevel (once), Digits, Punctuation, Split, Whitespace,
//                   WhitespaceSplit
//   post_processor  BertProcessing, ByteLevel, RobertaProcessing, TemplateProcessing (the text
//   once)
// Each of the last three may be a Sequence of at most eight; a pattern is a literal string or one
// of the regular expressions that the reference library writes for these families. Errors:
// FAILED_PRECONDITION, naming the key, its value and what is supported.
absl::StatusOr<std::string> CanonicalTokenizerJson(absl::string_view tokenizer_json);

}  // namespace hydra::text
