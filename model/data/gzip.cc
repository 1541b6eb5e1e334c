#include "model/data/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace hydra::data {
namespace {

constexpr absl::string_view kGzipMagic("\x1f\x8b", 2);
constexpr int kGzipWindow = 15 + 16;  // largest window, gzip header expected
constexpr size_t kChunkBytes = size_t{1} << 20;

// Owns a zlib stream.
class Inflater {
 public:
  explicit Inflater(absl::string_view bytes) : rest_(bytes) {
    ready_ = inflateInit2(&stream_, kGzipWindow) == Z_OK;
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() {
    if (ready_) inflateEnd(&stream_);
  }

  bool ready() const { return ready_; }

  // Input that was not consumed.
  size_t left() const { return stream_.avail_in + rest_.size(); }

  // Appends up to one chunk to `out`; returns zlib's code.
  int Next(std::string& out) {
    if (stream_.avail_in == 0) Feed();
    const size_t before = out.size();
    out.resize(before + kChunkBytes);
    stream_.next_out = reinterpret_cast<Bytef*>(out.data() + before);
    stream_.avail_out = kChunkBytes;
    const int code = inflate(&stream_, Z_NO_FLUSH);
    out.resize(before + kChunkBytes - stream_.avail_out);
    return code;
  }

 private:
  void Feed() {
    const size_t take = std::min(rest_.size(), kChunkBytes);
    // zlib never writes through next_in; its C interface lacks the const.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest_.data()));
    stream_.avail_in = static_cast<uInt>(take);
    rest_.remove_prefix(take);
  }

  absl::string_view rest_;
  z_stream stream_{};
  bool ready_ = false;
};

}  // namespace

absl::StatusOr<std::string> MaybeGunzip(std::string bytes, size_t max_bytes,
                                        absl::string_view file) {
  if (!absl::StartsWith(bytes, kGzipMagic)) return bytes;
  Inflater inflater(bytes);
  if (!inflater.ready()) {
    return absl::ResourceExhaustedError(absl::StrCat(file, ": no memory to decompress"));
  }
  std::string contents;
  for (int code = Z_OK; code != Z_STREAM_END;) {
    code = inflater.Next(contents);
    if (code != Z_OK && code != Z_STREAM_END) {
      return absl::InvalidArgumentError(absl::StrCat(file,
                                                     ": damaged or truncated gzip stream after ",
                                                     contents.size(), " bytes of contents"));
    }
    if (contents.size() > max_bytes) {
      return absl::ResourceExhaustedError(
          absl::StrCat(file, ": more than ", max_bytes, " bytes of contents"));
    }
  }
  if (inflater.left() > 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(file, ": got ", inflater.left(), " bytes behind the end of the gzip stream"));
  }
  return contents;
}

}  // namespace hydra::data
