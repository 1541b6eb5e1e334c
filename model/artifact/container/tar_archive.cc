#include "model/artifact/container/tar_archive.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "model/base/status_macros.h"

namespace hydra::artifact::container {
namespace {

constexpr size_t kBlock = 512;
constexpr size_t kMaxOctalSize = (size_t{1} << 33) - 1;  // eleven octal digits
constexpr size_t kMaxPaxBytes = 64 << 10;

// Field offsets and widths of POSIX.1-1988 ustar.
struct Field {
  size_t offset;
  size_t width;
};
constexpr Field kName{0, 100};
constexpr Field kMode{100, 8};
constexpr Field kOwner{108, 8};
constexpr Field kGroup{116, 8};
constexpr Field kSize{124, 12};
constexpr Field kTime{136, 12};
constexpr Field kChecksum{148, 8};
constexpr Field kType{156, 1};
constexpr Field kMagic{257, 8};
constexpr Field kPrefix{345, 155};

absl::string_view TextOf(absl::string_view header, Field field) {
  const absl::string_view raw = header.substr(field.offset, field.width);
  return raw.substr(0, std::min(raw.find('\0'), raw.size()));
}

// Octal digits, blanks around them; empty or anything else is nullopt.
std::optional<size_t> OctalOf(absl::string_view header, Field field) {
  const absl::string_view raw = header.substr(field.offset, field.width);
  size_t value = 0;
  size_t i = 0;
  while (i < raw.size() && raw[i] == ' ') ++i;
  const size_t first = i;
  for (; i < raw.size() && raw[i] >= '0' && raw[i] <= '7'; ++i) {
    value = value * 8 + static_cast<size_t>(raw[i] - '0');
  }
  if (i == first || (i < raw.size() && raw[i] != ' ' && raw[i] != '\0')) return std::nullopt;
  return value;
}

// Sum of all header bytes, the checksum field itself counted as blanks.
size_t ChecksumOf(absl::string_view header) {
  size_t sum = 0;
  for (size_t i = 0; i < kBlock; ++i) {
    const bool inside = i >= kChecksum.offset && i < kChecksum.offset + kChecksum.width;
    sum += inside ? ' ' : static_cast<unsigned char>(header[i]);
  }
  return sum;
}

bool IsZero(absl::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == '\0'; });
}

class TarReader {
 public:
  TarReader(absl::string_view archive, const ReadLimits& limits)
      : archive_(archive), limits_(limits) {}

  absl::StatusOr<FileMap> Read() {
    while (true) {
      if (archive_.size() - position_ < kBlock) return Broken("truncated before its end mark");
      const absl::string_view header = archive_.substr(position_, kBlock);
      if (IsZero(header)) return ReadEnd();
      HYDRA_RETURN_IF_ERROR(ReadEntry(header));
    }
  }

 private:
  absl::Status Broken(absl::string_view reason) const {
    return absl::InvalidArgumentError(absl::StrCat("tar: entry at byte ", position_, ": ", reason));
  }

  absl::StatusOr<FileMap> ReadEnd() {
    const absl::string_view rest = archive_.substr(position_);
    if (rest.size() < 2 * kBlock || rest.size() % kBlock != 0) {
      return Broken("truncated in its end mark");
    }
    if (!IsZero(rest)) return Broken("got bytes after the end mark");
    return std::move(files_);
  }

  absl::Status ReadEntry(absl::string_view header) {
    if (OctalOf(header, kChecksum) != ChecksumOf(header)) return Broken("wrong header checksum");
    if (!absl::StartsWith(TextOf(header, kMagic), "ustar")) return Broken("not a ustar header");
    const std::optional<size_t> size = OctalOf(header, kSize);
    if (!size.has_value()) return Broken("its size is not an octal number");
    const size_t available = archive_.size() - position_ - kBlock;
    const size_t padded = (*size + kBlock - 1) / kBlock * kBlock;
    if (padded > available) {
      return Broken(absl::StrCat("truncated: got ", available, " bytes, want ", padded));
    }
    const absl::string_view data = archive_.substr(position_ + kBlock, *size);
    HYDRA_RETURN_IF_ERROR(TakeEntry(header, data));
    position_ += kBlock + padded;
    return absl::OkStatus();
  }

  absl::Status TakeEntry(absl::string_view header, absl::string_view data) {
    switch (header[kType.offset]) {
      case '0':
      case '\0':
        return TakeFile(header, data);
      case '5':
        return data.empty() ? absl::OkStatus() : Broken("a folder with contents");
      case 'x':
      case 'g':
        return CheckPax(data);
      default:
        return Broken(absl::StrCat("type '", absl::string_view(&header[kType.offset], 1), "' of \"",
                                   TextOf(header, kName), "\": want only files and folders"));
    }
  }

  absl::Status TakeFile(absl::string_view header, absl::string_view data) {
    const absl::string_view prefix = TextOf(header, kPrefix);
    std::string path = absl::StrCat(prefix, prefix.empty() ? "" : "/", TextOf(header, kName));
    while (absl::StartsWith(path, "./")) path.erase(0, 2);
    HYDRA_RETURN_IF_ERROR(CheckPath(path));
    if (files_.size() >= limits_.max_files || data.size() > limits_.max_file_bytes) {
      return absl::ResourceExhaustedError(absl::StrCat("tar: ", path, ": want at most ",
                                                       limits_.max_files, " files of ",
                                                       limits_.max_file_bytes, " bytes"));
    }
    if (!files_.emplace(path, data).second) return Broken(absl::StrCat(path, " is there twice"));
    return absl::OkStatus();
  }

  // "<length> <key>=<value>\n" records; only those that change neither name nor size are harmless.
  absl::Status CheckPax(absl::string_view data) const {
    if (data.size() > kMaxPaxBytes) return Broken("pax header too large");
    for (const absl::string_view key : {" path=", " size=", " linkpath=", " GNU.sparse"}) {
      if (absl::StrContains(data, key)) {
        return Broken(absl::StrCat("pax header sets", key, ": want plain ustar"));
      }
    }
    return absl::OkStatus();
  }

  const absl::string_view archive_;
  const ReadLimits limits_;
  size_t position_ = 0;
  FileMap files_;
};

void SetField(std::string& header, Field field, absl::string_view text) {
  std::copy(text.begin(), text.end(), header.begin() + static_cast<ptrdiff_t>(field.offset));
}

std::string HeaderOf(absl::string_view path, size_t size) {
  std::string header(kBlock, '\0');
  SetField(header, kName, path);
  SetField(header, kMode, "0000644");
  SetField(header, kOwner, "0000000");
  SetField(header, kGroup, "0000000");
  SetField(header, kSize, absl::StrFormat("%011o", size));
  SetField(header, kTime, "00000000000");
  SetField(header, kType, "0");
  SetField(header, kMagic, absl::string_view("ustar\00000", 8));
  SetField(header, kChecksum, absl::StrFormat("%06o", ChecksumOf(header)));
  header[kChecksum.offset + 7] = ' ';
  return header;
}

}  // namespace

absl::StatusOr<FileMap> ParseTar(absl::string_view archive, const ReadLimits& limits) {
  if (archive.size() > limits.max_total_bytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("tar: got ", archive.size(), " bytes, want at most ", limits.max_total_bytes));
  }
  return TarReader(archive, limits).Read();
}

absl::StatusOr<std::string> EncodeTar(const FileMap& files) {
  std::string archive;
  for (const auto& [path, bytes] : files) {
    HYDRA_RETURN_IF_ERROR(CheckPath(path));
    if (path.size() > kName.width || bytes.size() > kMaxOctalSize) {
      return absl::InvalidArgumentError(absl::StrCat("tar: ", path, ": got ", bytes.size(),
                                                     " bytes, want a path of at most 100 and a "
                                                     "file of at most ",
                                                     kMaxOctalSize));
    }
    archive += HeaderOf(path, bytes.size());
    archive += bytes;
    archive.append((kBlock - bytes.size() % kBlock) % kBlock, '\0');
  }
  archive.append(2 * kBlock, '\0');
  return archive;
}

}  // namespace hydra::artifact::container
