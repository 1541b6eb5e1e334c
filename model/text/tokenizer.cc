#include "model/text/tokenizer.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "model/text/tokenizer_ffi/tokenizer_ffi.h"
#include "model/text/tokenizer_json.h"
#include "model/text/utf8.h"

namespace hydra::text {
namespace {

const uint8_t* Bytes(absl::string_view text) {
  return reinterpret_cast<const uint8_t*>(text.data());
}

absl::Status TakeError(HydraBuffer error) {
  const absl::string_view text(reinterpret_cast<const char*>(error.data), error.size);
  const absl::Status status = absl::FailedPreconditionError(absl::StrCat("tokenizer: ", text));
  hydra_buffer_free(error);
  return status;
}

absl::Status CheckSettings(const artifact::TextSettings& settings) {
  if (settings.max_tokens == 0) {
    return absl::InvalidArgumentError("max_tokens: got 0, want at least 1");
  }
  if (settings.pad_token < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("pad_token: got ", settings.pad_token, ", want 0 or more"));
  }
  return absl::OkStatus();
}

}  // namespace

Tokenizer::Tokenizer(Handle handle, const artifact::TextSettings& settings, TokenizerLimits limits)
    : handle_(std::move(handle)), settings_(settings), limits_(limits) {}

int64_t Tokenizer::largest_id() const { return hydra_tokenizer_largest_id(handle_.get()); }

absl::StatusOr<Tokenizer> Tokenizer::Create(absl::string_view tokenizer_json,
                                            const artifact::TextSettings& settings,
                                            TokenizerLimits limits) {
  HYDRA_RETURN_IF_ERROR(CheckSettings(settings));
  HYDRA_ASSIGN_OR_RETURN(const std::string json, CanonicalTokenizerJson(tokenizer_json));
  HydraTokenizer* made = nullptr;
  HydraBuffer error{};
  if (hydra_tokenizer_create(Bytes(json), json.size(), settings.max_tokens, &made, &error) != 0) {
    return TakeError(error);
  }
  return Tokenizer(Handle(made, [](HydraTokenizer* owned) { hydra_tokenizer_free(owned); }),
                   settings, limits);
}

absl::StatusOr<TokenizedText> Tokenizer::Encode(absl::string_view utf8) const {
  if (utf8.size() > limits_.max_text_bytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("text: got ", utf8.size(), " bytes, want at most ", limits_.max_text_bytes));
  }
  if (const std::optional<size_t> offset = FirstInvalidUtf8Byte(utf8)) {
    return absl::InvalidArgumentError(
        absl::StrCat("text: got invalid UTF-8 at byte ", *offset, ", want valid UTF-8"));
  }
  HydraTokenIds ids{};
  HydraBuffer error{};
  if (hydra_tokenizer_encode(handle_.get(), Bytes(utf8), utf8.size(), &ids, &error) != 0) {
    return TakeError(error);
  }
  TokenizedText text;
  text.ids.assign(ids.ids, ids.ids + ids.size);
  text.truncated_tokens = ids.truncated;
  hydra_token_ids_free(ids);
  return text;
}

}  // namespace hydra::text
