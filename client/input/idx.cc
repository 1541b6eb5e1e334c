#include "client/input/idx.h"

#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace hydra::input {
namespace {

constexpr uint8_t kUnsignedByte = 0x08;
constexpr size_t kMaxRank = 4;
constexpr size_t kChunkBytes = size_t{1} << 20;

uint32_t BigEndian(absl::string_view bytes) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value = (value << 8) | static_cast<uint8_t>(bytes[i]);
  return value;
}

absl::Status NotIdx(const std::string& path, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(path, ": not an IDX file of bytes: ", why));
}

}  // namespace

absl::StatusOr<IdxHeader> ParseIdx(absl::string_view bytes, const std::string& path) {
  if (bytes.size() < 4 || bytes[0] != 0 || bytes[1] != 0) return NotIdx(path, "wrong magic number");
  if (static_cast<uint8_t>(bytes[2]) != kUnsignedByte) return NotIdx(path, "another element type");
  const size_t rank = static_cast<uint8_t>(bytes[3]);
  if (rank < 1 || rank > kMaxRank) return NotIdx(path, absl::StrCat("rank ", rank, ", want 1..4"));
  IdxHeader header{.header_bytes = 4 + 4 * rank};
  if (bytes.size() < header.header_bytes) return NotIdx(path, "cut within its header");
  const size_t values = bytes.size() - header.header_bytes;
  size_t product = 1;
  for (size_t i = 0; i < rank; ++i) {
    const uint32_t size = BigEndian(bytes.substr(4 + 4 * i));
    if (size == 0 || size > values / product)
      return NotIdx(path, "its sizes do not fit its length");
    product *= size;
    header.sizes.push_back(size);
  }
  if (product != values) return NotIdx(path, "its sizes do not fit its length");
  return header;
}

absl::StatusOr<std::string> ReadMaybeGzip(const std::string& path, size_t max_bytes) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (file == nullptr) {
    return absl::NotFoundError(absl::StrCat(path, ": ", std::strerror(errno)));
  }
  std::string bytes;
  std::string chunk(kChunkBytes, '\0');
  while (true) {
    const int got = gzread(file.get(), chunk.data(), static_cast<unsigned>(chunk.size()));
    if (got < 0) {
      int code = 0;
      return absl::InvalidArgumentError(absl::StrCat(path, ": ", gzerror(file.get(), &code)));
    }
    if (got == 0) return bytes;
    if (bytes.size() + static_cast<size_t>(got) > max_bytes) {
      return absl::ResourceExhaustedError(
          absl::StrCat(path, ": more than ", max_bytes, " bytes, the largest file read"));
    }
    bytes.append(chunk, 0, static_cast<size_t>(got));
  }
}

}  // namespace hydra::input
