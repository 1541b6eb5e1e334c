#include "model/builder/recipe/publish.h"

#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "model/base/file.h"
#include "model/base/status_macros.h"

namespace hydra::builder {
namespace {

namespace fs = std::filesystem;

constexpr char kChecksums[] = "/SHA256SUMS";
constexpr size_t kMaxChecksumBytes = size_t{1} << 20;

absl::Status StatusOf(std::error_code error, absl::string_view what, const std::string& path) {
  if (!error) return absl::OkStatus();
  return absl::InternalError(absl::StrCat(path, ": cannot ", what, ": ", error.message()));
}

bool IsSame(const std::string& from, const std::string& to) {
  const auto a = base::ReadFile(from + kChecksums, kMaxChecksumBytes);
  const auto b = base::ReadFile(to + kChecksums, kMaxChecksumBytes);
  return a.ok() && b.ok() && *a == *b;
}

absl::Status Remove(const std::string& path) {
  std::error_code error;
  fs::remove_all(path, error);
  return StatusOf(error, "remove", path);
}

}  // namespace

absl::Status PublishDirectory(const std::string& from, const std::string& to) {
  if (IsSame(from, to)) return absl::OkStatus();
  const std::string copy = to + ".partial", old = to + ".old";
  HYDRA_RETURN_IF_ERROR(Remove(copy));
  HYDRA_RETURN_IF_ERROR(Remove(old));
  std::error_code error;
  const fs::path parent = fs::path(to).parent_path();
  if (!parent.empty()) fs::create_directories(parent, error);
  HYDRA_RETURN_IF_ERROR(StatusOf(error, "create", parent.string()));
  fs::copy(from, copy, fs::copy_options::recursive, error);
  HYDRA_RETURN_IF_ERROR(StatusOf(error, "copy to it", copy));
  if (fs::exists(to, error)) {
    fs::rename(to, old, error);
    HYDRA_RETURN_IF_ERROR(StatusOf(error, "rename", to));
  }
  fs::rename(copy, to, error);
  HYDRA_RETURN_IF_ERROR(StatusOf(error, "rename to it", to));
  return Remove(old);
}

}  // namespace hydra::builder
