#include "model/text/utf8.h"

#include <cstdint>

namespace hydra::text {
namespace {

// RFC 3629, section 4: what may follow a lead byte.
struct Tail {
  size_t bytes;           // continuation bytes
  uint8_t second_lowest;  // bounds of the first of them
  uint8_t second_highest;
};

std::optional<Tail> TailOf(uint8_t lead) {
  if (lead < 0x80) return Tail{0, 0, 0};
  if (lead < 0xC2) return std::nullopt;  // a continuation byte, or an overlong form
  if (lead < 0xE0) return Tail{1, 0x80, 0xBF};
  if (lead == 0xE0) return Tail{2, 0xA0, 0xBF};
  if (lead == 0xED) return Tail{2, 0x80, 0x9F};  // above lie the surrogates
  if (lead < 0xF0) return Tail{2, 0x80, 0xBF};
  if (lead == 0xF0) return Tail{3, 0x90, 0xBF};
  if (lead < 0xF4) return Tail{3, 0x80, 0xBF};
  if (lead == 0xF4) return Tail{3, 0x80, 0x8F};
  return std::nullopt;
}

bool Follows(absl::string_view text, size_t at, Tail tail) {
  if (text.size() - at <= tail.bytes) return false;
  for (size_t i = 1; i <= tail.bytes; ++i) {
    const uint8_t byte = static_cast<uint8_t>(text[at + i]);
    const uint8_t lowest = i == 1 ? tail.second_lowest : 0x80;
    const uint8_t highest = i == 1 ? tail.second_highest : 0xBF;
    if (byte < lowest || byte > highest) return false;
  }
  return true;
}

}  // namespace

std::optional<size_t> FirstInvalidUtf8Byte(absl::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const std::optional<Tail> tail = TailOf(static_cast<uint8_t>(text[at]));
    if (!tail || !Follows(text, at, *tail)) return at;
    at += 1 + tail->bytes;
  }
  return std::nullopt;
}

}  // namespace hydra::text
