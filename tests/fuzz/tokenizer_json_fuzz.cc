// Any bytes as tokenizer.json: an error, or a tokenizer whose ids stay within the limits.
#include "model/base/check.h"
#include "model/text/tokenizer.h"

namespace text = hydra::text;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view json(reinterpret_cast<const char*>(data), size);
  const auto tokenizer = text::Tokenizer::Create(json, {.max_tokens = 6});
  if (!tokenizer.ok()) return 0;
  for (const absl::string_view sample : {"", "the dog's [SEP] caf\xC3\xA9 42", "<s> <mask>\t\n"}) {
    const auto tokens = tokenizer->Encode(sample);
    if (!tokens.ok()) continue;
    HYDRA_CHECK(tokens->ids.size() <= 6);
    for (const int64_t id : tokens->ids) HYDRA_CHECK(id >= 0 && id <= tokenizer->largest_id());
  }
  return 0;
}
