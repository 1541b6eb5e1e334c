#include "model/preprocess/metadata/exif.h"

#include <cstddef>
#include <cstdint>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"

namespace hydra::preprocess::metadata {
namespace {

constexpr absl::string_view kPrefix("Exif\0\0", 6);
constexpr uint64_t kOrientationTag = 274;
constexpr size_t kHeaderBytes = 8;
constexpr size_t kEntryBytes = 12;
constexpr size_t kInlineBytes = 4;  // a longer value lies elsewhere, at the offset in its place

// Bytes of one value by TIFF type; 0 for a type that does not exist.  13 is IFD, 16 LONG8.
constexpr size_t kTypeBytes[] = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8};

enum TiffType : uint64_t { kShort = 3, kLong = 4, kSignedByte = 6, kSignedShort = 8, kSignedLong };

// A number of TIFF's byte order.
class TiffBytes {
 public:
  static std::optional<TiffBytes> Open(absl::string_view bytes) {
    if (bytes.size() < kHeaderBytes) return std::nullopt;
    if (absl::StartsWith(bytes, absl::string_view("II\x2a\0", 4))) return TiffBytes(bytes, true);
    if (absl::StartsWith(bytes, absl::string_view("MM\0\x2a", 4))) return TiffBytes(bytes, false);
    return std::nullopt;
  }

  bool Has(uint64_t offset, uint64_t count) const {
    return offset <= bytes_.size() && count <= bytes_.size() - offset;
  }

  // The caller has asked Has(offset, count).
  uint64_t Number(uint64_t offset, size_t count) const {
    uint64_t value = 0;
    for (size_t i = 0; i < count; ++i) {
      const size_t at = offset + (little_endian_ ? count - 1 - i : i);
      value = value << 8 | static_cast<uint8_t>(bytes_[at]);
    }
    return value;
  }

  size_t size() const { return bytes_.size(); }

 private:
  TiffBytes(absl::string_view bytes, bool little_endian)
      : bytes_(bytes), little_endian_(little_endian) {}

  absl::string_view bytes_;
  bool little_endian_;
};

Orientation FromNumber(uint64_t value) {
  return value >= 1 && value <= 8 ? static_cast<Orientation>(value) : Orientation::kUpright;
}

bool IsInteger(uint64_t type) {
  return type == kShort || type == kLong || type == kSignedByte || type == kSignedShort ||
         type == kSignedLong;
}

struct Entry {
  uint64_t tag = 0;
  uint64_t type = 0;
  uint64_t value_offset = 0;
  uint64_t value_bytes = 0;  // 0: nothing to read
};

Entry ReadEntry(const TiffBytes& tiff, uint64_t at) {
  Entry entry{.tag = tiff.Number(at, 2), .type = tiff.Number(at + 2, 2)};
  if (entry.type >= sizeof(kTypeBytes) / sizeof(kTypeBytes[0])) return entry;
  // Below 2^32 * 8: no overflow.
  entry.value_bytes = tiff.Number(at + 4, 4) * kTypeBytes[entry.type];
  const bool is_inline = entry.value_bytes <= kInlineBytes;
  entry.value_offset = is_inline ? at + 8 : tiff.Number(at + 8, 4);
  return entry;
}

}  // namespace

std::optional<Orientation> ExifOrientation(absl::string_view exif) {
  if (absl::ConsumePrefix(&exif, kPrefix)) absl::ConsumePrefix(&exif, kPrefix);
  const std::optional<TiffBytes> tiff = TiffBytes::Open(exif);
  if (!tiff) return std::nullopt;
  const uint64_t directory = tiff->Number(4, 4);
  if (!tiff->Has(directory, 2)) return std::nullopt;
  const uint64_t entries = tiff->Number(directory, 2);
  uint64_t claimed = 0;  // by values outside the directory; more than the file holds is skipped
  for (uint64_t i = 0; i < entries; ++i) {
    const uint64_t at = directory + 2 + i * kEntryBytes;
    if (!tiff->Has(at, kEntryBytes)) return std::nullopt;
    const Entry entry = ReadEntry(*tiff, at);
    if (entry.value_bytes == 0) continue;
    if (entry.value_bytes > kInlineBytes) {
      claimed += entry.value_bytes;
      if (claimed > tiff->size()) continue;
      if (!tiff->Has(entry.value_offset, entry.value_bytes)) return std::nullopt;
    }
    if (entry.tag != kOrientationTag) continue;
    if (!IsInteger(entry.type)) return Orientation::kUpright;
    return FromNumber(tiff->Number(entry.value_offset, kTypeBytes[entry.type]));
  }
  return std::nullopt;
}

std::optional<Orientation> XmpOrientation(absl::string_view xmp) {
  constexpr absl::string_view kName = "tiff:Orientation";
  for (size_t at = xmp.find(kName); at != absl::string_view::npos; at = xmp.find(kName)) {
    xmp.remove_prefix(at + kName.size());
    absl::string_view value = xmp;
    if (!absl::ConsumePrefix(&value, "=\"") && !absl::ConsumePrefix(&value, ">")) continue;
    if (value.empty() || value[0] < '0' || value[0] > '9') continue;
    return FromNumber(static_cast<uint64_t>(value[0] - '0'));
  }
  return std::nullopt;
}

}  // namespace hydra::preprocess::metadata
