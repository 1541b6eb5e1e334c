#include "model/builder/source/data_digest.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "model/base/file.h"
#include "model/base/sha256.h"
#include "model/base/status_macros.h"

namespace hydra::builder {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxFileBytes = size_t{8} << 30;

absl::StatusOr<std::string> DigestFile(const std::string& path) {
  HYDRA_ASSIGN_OR_RETURN(const std::string bytes, base::ReadFile(path, kMaxFileBytes));
  return base::Sha256Hex(bytes);
}

absl::StatusOr<std::vector<std::string>> FilesBelow(const std::string& root) {
  std::vector<std::string> files;
  std::error_code error;
  fs::recursive_directory_iterator entries(root, error);
  while (!error && entries != fs::recursive_directory_iterator()) {
    if (entries->is_regular_file(error)) files.push_back(entries->path().string());
    entries.increment(error);
  }
  if (error) return absl::NotFoundError(absl::StrCat(root, ": cannot list: ", error.message()));
  std::sort(files.begin(), files.end());
  return files;
}

// Images of tables lie beside or below the table.
std::string RootOf(const DataSpec& spec) {
  if (spec.kind == DataKind::kImageFolder) return spec.path;
  const std::string parent = fs::path(spec.path).parent_path().string();
  return parent.empty() ? "." : parent;
}

}  // namespace

absl::StatusOr<std::string> DigestData(const DataSpec& spec) {
  base::Sha256 sha;
  sha.Update(absl::StrCat("limit=", spec.limit, ";"));
  if (spec.kind == DataKind::kIdx) {
    for (const std::string& path : {spec.path, spec.labels}) {
      if (path.empty()) continue;
      HYDRA_ASSIGN_OR_RETURN(const std::string digest, DigestFile(path));
      sha.Update(digest);
    }
    return std::move(sha).HexDigest();
  }
  const std::string root = RootOf(spec);
  HYDRA_ASSIGN_OR_RETURN(const std::vector<std::string> files, FilesBelow(root));
  if (spec.kind != DataKind::kImageFolder) sha.Update(fs::path(spec.path).filename().string());
  for (const std::string& path : files) {
    HYDRA_ASSIGN_OR_RETURN(const std::string digest, DigestFile(path));
    sha.Update(absl::StrCat(path.substr(root.size()), "=", digest, ";"));
  }
  return std::move(sha).HexDigest();
}

}  // namespace hydra::builder
