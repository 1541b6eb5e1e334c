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

}  // namespace hydra::preprocess::metadata
