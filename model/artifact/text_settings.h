// preprocess/text.json of a bundle of a text family; preprocess/tokenizer.json lies beside it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hydra::artifact {

struct TextSettings {
  size_t max_tokens = 0;  // longer texts are cut here, special tokens included
  int64_t pad_token = 0;
};

}  // namespace hydra::artifact
