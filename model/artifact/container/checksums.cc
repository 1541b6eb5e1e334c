#include "model/artifact/container/checksums.h"

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "model/base/sha256.h"
#include "model/base/status_macros.h"

namespace hydra::artifact::container {
namespace {

constexpr size_t kHexDigits = 64;

bool IsListed(const std::string& path) { return path != kChecksumsFile && path != kSignatureFile; }

bool IsHexDigest(absl::string_view text) {
  for (const char c : text) {
    if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) return false;
  }
  return text.size() == kHexDigits;
}

absl::Status LineError(size_t line, absl::string_view reason) {
  return absl::InvalidArgumentError(
      absl::StrCat(kChecksumsFile, ": line ", line + 1, ": ", reason));
}

absl::StatusOr<std::map<std::string, std::string>> ParseLines(absl::string_view text) {
  std::map<std::string, std::string> sums;
  std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  if (!lines.back().empty()) return LineError(lines.size() - 1, "truncated: want a line end");
  lines.pop_back();
  for (size_t i = 0; i < lines.size(); ++i) {
    const absl::string_view line = lines[i];
    if (line.size() <= kHexDigits + 2 || !IsHexDigest(line.substr(0, kHexDigits)) ||
        line.substr(kHexDigits, 2) != "  ") {
      return LineError(i, "want 64 lower-case hex digits, two blanks and a path");
    }
    std::string path(line.substr(kHexDigits + 2));
    HYDRA_RETURN_IF_ERROR(CheckPath(path));
    if (!IsListed(path)) return LineError(i, absl::StrCat(path, ": cannot list itself"));
    if (!sums.empty() && path <= sums.rbegin()->first) {
      return LineError(i, absl::StrCat(path, ": want paths in ascending order"));
    }
    sums.emplace(std::move(path), line.substr(0, kHexDigits));
  }
  return sums;
}

}  // namespace

std::string EncodeChecksums(const FileMap& files) {
  std::string text;
  for (const auto& [path, bytes] : files) {
    if (IsListed(path)) absl::StrAppend(&text, base::Sha256Hex(bytes), "  ", path, "\n");
  }
  return text;
}

absl::StatusOr<std::map<std::string, std::string>> VerifyChecksums(const FileMap& files) {
  const auto found = files.find(kChecksumsFile);
  if (found == files.end()) {
    return absl::NotFoundError(absl::StrCat(kChecksumsFile, ": missing file"));
  }
  HYDRA_ASSIGN_OR_RETURN(auto sums, ParseLines(found->second));
  for (const auto& [path, sum] : sums) {
    if (files.count(path) == 0) {
      return absl::NotFoundError(absl::StrCat(path, ": missing file, listed by ", kChecksumsFile));
    }
  }
  for (const auto& [path, bytes] : files) {
    if (!IsListed(path)) continue;
    const auto sum = sums.find(path);
    if (sum == sums.end()) {
      return absl::InvalidArgumentError(absl::StrCat(path, ": not listed by ", kChecksumsFile));
    }
    const std::string got = base::Sha256Hex(bytes);
    if (got != sum->second) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": got sha256 ", got, ", want ", sum->second, " of ", kChecksumsFile));
    }
  }
  return sums;
}

}  // namespace hydra::artifact::container
