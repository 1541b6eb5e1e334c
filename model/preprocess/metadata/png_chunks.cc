#include "model/preprocess/metadata/png_chunks.h"

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace hydra::preprocess::metadata {
namespace {

constexpr size_t kSignatureBytes = 8;
constexpr size_t kChunkOverhead = 12;  // length, type, checksum
constexpr uLongf kMaxTextBytes = 1 << 20;
constexpr absl::string_view kXmpKeyword = "XML:com.adobe.xmp";
constexpr absl::string_view kRawExifKeyword = "Raw profile type exif";

absl::Status Broken(absl::string_view reason) {
  return absl::InvalidArgumentError(absl::StrCat("PNG: ", reason));
}

uint32_t BigEndian(absl::string_view bytes) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

struct Chunk {
  absl::string_view type;
  absl::string_view content;
};

// Takes the next chunk off `rest`; empty where it is cut off.
std::optional<Chunk> TakeChunk(absl::string_view& rest) {
  if (rest.size() < kChunkOverhead) return std::nullopt;
  const size_t length = BigEndian(rest);
  if (length > rest.size() - kChunkOverhead) return std::nullopt;
  const Chunk chunk{.type = rest.substr(4, 4), .content = rest.substr(8, length)};
  rest.remove_prefix(kChunkOverhead + length);
  return chunk;
}

// The bytes up to a zero, which is taken off as well; all of `rest` without one.
absl::string_view TakeField(absl::string_view& rest) {
  const absl::string_view field = rest.substr(0, rest.find('\0'));
  rest.remove_prefix(std::min(field.size() + 1, rest.size()));
  return field;
}

std::string Inflate(absl::string_view packed) {
  std::string text(kMaxTextBytes, '\0');
  uLongf size = kMaxTextBytes;
  const int result = uncompress(reinterpret_cast<Bytef*>(text.data()), &size,
                                reinterpret_cast<const Bytef*>(packed.data()), packed.size());
  text.resize(result == Z_OK ? size : 0);
  return text;
}

bool IsText(const Chunk& chunk, absl::string_view keyword) {
  absl::string_view rest = chunk.content;
  return (chunk.type == "tEXt" || chunk.type == "zTXt" || chunk.type == "iTXt") &&
         rest.size() <= kMaxTextBytes && TakeField(rest) == keyword;
}

// The text of a chunk for which IsText holds.
std::string TextOf(const Chunk& chunk) {
  absl::string_view rest = chunk.content;
  TakeField(rest);  // keyword
  if (chunk.type == "tEXt") return std::string(rest);
  if (chunk.type == "zTXt") return Inflate(rest.substr(std::min<size_t>(1, rest.size())));
  if (rest.size() < 2) return "";
  const bool packed = rest[0] != '\0';
  rest.remove_prefix(2);  // compression flag and method
  TakeField(rest);        // language
  TakeField(rest);        // translated keyword
  return packed ? Inflate(rest) : std::string(rest);
}

// "\nexif\n  length\n" and hexadecimal digits in lines.
std::string RawProfile(absl::string_view text) {
  for (int line = 0; line < 3; ++line) {
    const size_t end = text.find('\n');
    if (end == absl::string_view::npos) return "";
    text.remove_prefix(end + 1);
  }
  std::string bytes;
  int high = -1;
  for (const char c : text) {
    if (absl::ascii_isspace(static_cast<unsigned char>(c))) continue;
    if (!absl::ascii_isxdigit(static_cast<unsigned char>(c))) return "";
    const int digit = absl::ascii_isdigit(static_cast<unsigned char>(c))
                          ? c - '0'
                          : absl::ascii_tolower(static_cast<unsigned char>(c)) - 'a' + 10;
    if (high >= 0) bytes.push_back(static_cast<char>(high << 4 | digit));
    high = high >= 0 ? -1 : digit;
  }
  return bytes;
}

uint8_t LowByte(absl::string_view bytes, size_t at) { return static_cast<uint8_t>(bytes[at + 1]); }

std::optional<Rgb> TransparentGrey(absl::string_view transparency, char depth) {
  if (transparency.size() < 2) return std::nullopt;
  const uint8_t low = LowByte(transparency, 0);
  const bool above_byte = transparency[0] != '\0';
  if (depth == 1 || depth == 16) {
    const bool black = low == 0 && (depth == 16 || !above_byte);
    return black ? std::optional<Rgb>(Rgb{0, 0, 0}) : std::nullopt;
  }
  const uint8_t grey = above_byte ? 255 : low;
  return Rgb{grey, grey, grey};
}

std::optional<Rgb> TransparentEntry(absl::string_view transparency, absl::string_view palette) {
  const size_t entry = transparency.find('\0');
  if (entry == absl::string_view::npos || palette.size() / 3 <= entry) return std::nullopt;
  for (size_t i = 0; i < transparency.size(); ++i) {
    if (i != entry && transparency[i] != '\xff') return std::nullopt;
  }
  const absl::string_view colour = palette.substr(entry * 3, 3);
  return Rgb{static_cast<uint8_t>(colour[0]), static_cast<uint8_t>(colour[1]),
             static_cast<uint8_t>(colour[2])};
}

}  // namespace

absl::Status CheckPngChunks(absl::string_view encoded) {
  absl::string_view rest = encoded.substr(std::min(kSignatureBytes, encoded.size()));
  bool pixels = false;
  while (const std::optional<Chunk> chunk = TakeChunk(rest)) {
    if (chunk->type == "acTL") return Broken("animated, want a single image");
    pixels = pixels || chunk->type == "IDAT";
    if (chunk->type == "IEND") return pixels ? absl::OkStatus() : Broken("no pixels");
  }
  return Broken("truncated");
}

Orientation PngOrientation(absl::string_view encoded) {
  absl::string_view rest = encoded.substr(std::min(kSignatureBytes, encoded.size()));
  // Of each kind the last; texts are unpacked once, not in the loop, so that a file of many packed
  // texts costs no more than one of two.
  std::optional<Chunk> exif, raw_exif, xmp;
  while (const std::optional<Chunk> chunk = TakeChunk(rest)) {
    if (chunk->type == "IEND") break;
    if (chunk->type == "eXIf") exif = chunk;
    if (IsText(*chunk, kRawExifKeyword)) raw_exif = chunk;
    if (IsText(*chunk, kXmpKeyword)) xmp = chunk;
  }
  std::optional<Orientation> orientation;
  if (exif) {
    orientation = ExifOrientation(exif->content);
  } else if (raw_exif) {
    orientation = ExifOrientation(RawProfile(TextOf(*raw_exif)));
  }
  if (!orientation && xmp) orientation = XmpOrientation(TextOf(*xmp));
  return orientation.value_or(Orientation::kUpright);
}

std::optional<Rgb> TransparentColour(absl::string_view encoded) {
  constexpr size_t kBitDepth = 24, kColourType = 25;
  if (encoded.size() <= kColourType) return std::nullopt;
  absl::string_view rest = encoded.substr(kSignatureBytes), transparency, palette;
  while (const std::optional<Chunk> chunk = TakeChunk(rest)) {
    if (chunk->type == "IDAT") break;
    if (chunk->type == "PLTE") palette = chunk->content;
    if (chunk->type == "tRNS") transparency = chunk->content;
  }
  switch (encoded[kColourType]) {
    case 0:
      return TransparentGrey(transparency, encoded[kBitDepth]);
    case 2:
      if (transparency.size() < 6) return std::nullopt;
      return Rgb{LowByte(transparency, 0), LowByte(transparency, 2), LowByte(transparency, 4)};
    case 3:
      return TransparentEntry(transparency, palette);
    default:
      return std::nullopt;
  }
}

}  // namespace hydra::preprocess::metadata
