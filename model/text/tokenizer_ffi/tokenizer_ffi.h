// C interface of the Rust crate beside this header.  No function unwinds or prints.
//
// Functions with an `error` return 0 on success; otherwise they fill `error`, which the caller
// frees, and nothing else.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct HydraTokenizer HydraTokenizer;

typedef struct HydraBuffer {
  uint8_t* data;  // UTF-8, not terminated
  size_t size;
} HydraBuffer;

typedef struct HydraTokenIds {
  uint32_t* ids;
  size_t size;
  size_t truncated;  // tokens of the text beyond the limit
} HydraTokenIds;

// Reads a tokenizer.json; its own truncation and padding are dropped.
int32_t hydra_tokenizer_create(const uint8_t* json, size_t size, size_t max_tokens,
                               HydraTokenizer** tokenizer, HydraBuffer* error);

// The largest id that hydra_tokenizer_encode can give.
uint32_t hydra_tokenizer_largest_id(const HydraTokenizer* tokenizer);

// Thread-safe for one tokenizer.  At most max_tokens ids, special tokens included.
int32_t hydra_tokenizer_encode(const HydraTokenizer* tokenizer, const uint8_t* utf8, size_t size,
                               HydraTokenIds* ids, HydraBuffer* error);

void hydra_tokenizer_free(HydraTokenizer* tokenizer);
void hydra_token_ids_free(HydraTokenIds ids);
void hydra_buffer_free(HydraBuffer buffer);

#ifdef __cplusplus
}
#endif
