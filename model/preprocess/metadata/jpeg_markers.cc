#include "model/preprocess/metadata/jpeg_markers.h"

#include <cstdint>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace hydra::preprocess::metadata {
namespace {

constexpr absl::string_view kExif("Exif\0\0", 6);
constexpr absl::string_view kXmp("http://ns.adobe.com/xap/1.0/\0", 29);

constexpr uint8_t kMarker = 0xff;
constexpr uint8_t kEndOfImage = 0xd9;
constexpr uint8_t kStartOfScan = 0xda;
constexpr uint8_t kApplication1 = 0xe1;
constexpr size_t kStartBytes = 2;   // of the start-of-image marker
constexpr size_t kLengthBytes = 2;  // counted by the length itself

absl::Status Broken(absl::string_view reason) {
  return absl::InvalidArgumentError(absl::StrCat("JPEG: ", reason));
}

bool IsRestart(uint8_t code) { return code >= 0xd0 && code <= 0xd7; }

// Position of the next marker's code at or behind `position`; the size of `bytes` if there is none.
// Inside a scan 0xff 0x00 is data and restart markers are part of it.
size_t NextMarker(absl::string_view bytes, size_t position) {
  while (position + 1 < bytes.size()) {
    const auto code = static_cast<uint8_t>(bytes[position + 1]);
    if (static_cast<uint8_t>(bytes[position]) == kMarker && code != 0 && code != kMarker &&
        !IsRestart(code)) {
      return position + 1;
    }
    ++position;
  }
  return bytes.size();
}

// Goes from segment to segment.
class MarkerWalk {
 public:
  explicit MarkerWalk(absl::string_view encoded)
      : encoded_(encoded), marker_(NextMarker(encoded, kStartBytes)) {}

  // False at the end of the image, and where a segment is cut off.
  bool InSegment() const {
    return marker_ < encoded_.size() && code() != kEndOfImage && Length() >= kLengthBytes &&
           Length() < encoded_.size() - marker_;
  }
  bool AtEndOfImage() const { return marker_ < encoded_.size() && code() == kEndOfImage; }

  uint8_t code() const { return static_cast<uint8_t>(encoded_[marker_]); }

  // Of a segment: what follows its length.
  absl::string_view Payload() const {
    return encoded_.substr(marker_ + 1 + kLengthBytes, Length() - kLengthBytes);
  }

  void Next() { marker_ = NextMarker(encoded_, marker_ + 1 + Length()); }

 private:
  size_t Length() const {
    if (encoded_.size() - marker_ < 1 + kLengthBytes) return 0;
    return static_cast<size_t>(static_cast<uint8_t>(encoded_[marker_ + 1])) << 8 |
           static_cast<uint8_t>(encoded_[marker_ + 2]);
  }

  absl::string_view encoded_;
  size_t marker_;
};

}  // namespace

absl::Status CheckJpegMarkers(absl::string_view encoded) {
  size_t scans = 0;
  MarkerWalk walk(encoded);
  for (; walk.InSegment(); walk.Next()) {
    if (walk.code() == kStartOfScan && ++scans > kMaxScans) {
      return Broken(absl::StrCat("got more than ", kMaxScans, " scans"));
    }
  }
  if (!walk.AtEndOfImage()) return Broken("truncated");
  return scans > 0 ? absl::OkStatus() : Broken("no pixels");
}

Orientation JpegOrientation(absl::string_view encoded) {
  std::string exif;
  absl::string_view xmp;
  for (MarkerWalk walk(encoded); walk.InSegment() && walk.code() != kStartOfScan; walk.Next()) {
    if (walk.code() != kApplication1) continue;
    absl::string_view payload = walk.Payload();
    if (absl::ConsumePrefix(&payload, kExif)) absl::StrAppend(&exif, payload);
    if (absl::ConsumePrefix(&payload, kXmp)) xmp = payload;
  }
  const auto orientation = ExifOrientation(exif);
  return orientation ? *orientation : XmpOrientation(xmp).value_or(Orientation::kUpright);
}

}  // namespace hydra::preprocess::metadata
