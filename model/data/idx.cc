#include "model/data/idx.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/file.h"
#include "model/base/status_macros.h"
#include "model/data/gzip.h"

namespace hydra::data {
namespace {

constexpr size_t kMaxBytes = size_t{2} << 30;
constexpr uint32_t kUnsignedBytes = 0x08;  // the type byte of the magic number

uint32_t BigEndian(absl::string_view bytes, size_t offset) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<uint8_t>(bytes[offset + i]);
  return value;
}

struct Header {
  std::vector<size_t> sizes;
  size_t bytes = 0;  // of the header
};

// Reads the magic number and `dimensions` sizes, and checks that exactly their product follows.
absl::StatusOr<Header> ParseHeader(absl::string_view bytes, size_t dimensions,
                                   absl::string_view file) {
  Header header{.bytes = 4 * (1 + dimensions)};
  if (bytes.size() < header.bytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(file, ": got ", bytes.size(), " bytes, want an IDX header of ", header.bytes));
  }
  const uint32_t magic = BigEndian(bytes, 0);
  const uint32_t want = kUnsignedBytes << 8 | static_cast<uint32_t>(dimensions);
  if (magic != want) {
    return absl::InvalidArgumentError(absl::StrCat(
        file, ": magic number: got ", magic, ", want ", want, " (IDX, unsigned bytes, ", dimensions,
        dimensions == 1 ? " dimension)" : " dimensions)"));
  }
  size_t product = 1;
  for (size_t d = 0; d < dimensions; ++d) {
    header.sizes.push_back(BigEndian(bytes, 4 * (1 + d)));
    if (header.sizes.back() == 0 || product > kMaxBytes / header.sizes.back()) {
      return absl::InvalidArgumentError(
          absl::StrCat(file, ": size of dimension ", d, ": got ", header.sizes.back(),
                       ", want 1 or more and at most ", kMaxBytes, " bytes in all"));
    }
    product *= header.sizes.back();
  }
  if (bytes.size() - header.bytes != product) {
    return absl::InvalidArgumentError(absl::StrCat(file, ": got ", bytes.size() - header.bytes,
                                                   " bytes of values, want ", product));
  }
  return header;
}

absl::StatusOr<std::string> ReadWhole(const std::string& path) {
  HYDRA_ASSIGN_OR_RETURN(std::string bytes, base::ReadFile(path, kMaxBytes));
  return MaybeGunzip(std::move(bytes), kMaxBytes, path);
}

}  // namespace

absl::StatusOr<IdxImages> ParseIdxImages(absl::string_view bytes, absl::string_view file) {
  HYDRA_ASSIGN_OR_RETURN(const Header header, ParseHeader(bytes, 3, file));
  bytes.remove_prefix(header.bytes);
  return IdxImages{.count = header.sizes[0],
                   .height = header.sizes[1],
                   .width = header.sizes[2],
                   .pixels = std::vector<uint8_t>(bytes.begin(), bytes.end())};
}

absl::StatusOr<std::vector<uint8_t>> ParseIdxLabels(absl::string_view bytes,
                                                    absl::string_view file) {
  HYDRA_ASSIGN_OR_RETURN(const Header header, ParseHeader(bytes, 1, file));
  bytes.remove_prefix(header.bytes);
  return std::vector<uint8_t>(bytes.begin(), bytes.end());
}

absl::StatusOr<IdxImages> ReadIdxImages(const std::string& path) {
  HYDRA_ASSIGN_OR_RETURN(const std::string bytes, ReadWhole(path));
  return ParseIdxImages(bytes, path);
}

absl::StatusOr<std::vector<uint8_t>> ReadIdxLabels(const std::string& path) {
  HYDRA_ASSIGN_OR_RETURN(const std::string bytes, ReadWhole(path));
  return ParseIdxLabels(bytes, path);
}

}  // namespace hydra::data
