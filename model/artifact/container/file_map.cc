#include "model/artifact/container/file_map.h"

#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace hydra::artifact::container {
namespace {

constexpr size_t kMaxParts = 4;
constexpr size_t kMaxPartBytes = 100;

bool IsPart(absl::string_view part) {
  if (part.empty() || part == "." || part == ".." || part.size() > kMaxPartBytes) return false;
  for (const char c : part) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '_' && c != '-') {
      return false;
    }
  }
  return true;
}

}  // namespace

absl::Status CheckPath(absl::string_view path) {
  const std::vector<absl::string_view> parts = absl::StrSplit(path, '/');
  bool good = parts.size() <= kMaxParts;
  for (const absl::string_view part : parts) good = good && IsPart(part);
  if (good) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("path \"", absl::CHexEscape(path.substr(0, 2 * kMaxPartBytes)),
                   "\": want at most ", kMaxParts, " parts of [A-Za-z0-9._-] below the bundle"));
}

}  // namespace hydra::artifact::container
