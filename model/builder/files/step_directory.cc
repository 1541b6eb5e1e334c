#include "model/builder/files/step_directory.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "model/base/file.h"
#include "model/base/status_macros.h"

namespace hydra::builder {
namespace {

namespace fs = std::filesystem;

absl::Status SystemError(absl::string_view what, const std::string& path, std::error_code error) {
  return absl::InternalError(absl::StrCat(path, ": ", what, ": ", error.message()));
}

std::string WithoutTrailingSlash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

absl::Status SyncTree(const std::string& root) {
  std::error_code error;
  fs::recursive_directory_iterator entries(root, error);
  if (error) return SystemError("cannot list", root, error);
  for (; entries != fs::recursive_directory_iterator(); entries.increment(error)) {
    HYDRA_RETURN_IF_ERROR(base::SyncPath(entries->path().string()));
    if (error) return SystemError("cannot list", root, error);
  }
  return base::SyncPath(root);
}

}  // namespace

absl::StatusOr<StepDirectory> StepDirectory::Create(const std::string& path) {
  const std::string target = WithoutTrailingSlash(path);
  std::error_code error;
  if (fs::exists(target, error)) {
    return absl::AlreadyExistsError(
        absl::StrCat(target, ": exists already; remove it or name another directory"));
  }
  StepDirectory directory(target, target + ".partial");
  fs::remove_all(directory.temporary_, error);
  if (error) return SystemError("cannot remove", directory.temporary_, error);
  fs::create_directories(directory.temporary_, error);
  if (error) return SystemError("cannot create", directory.temporary_, error);
  return directory;
}

absl::Status StepDirectory::Write(absl::string_view name, absl::string_view contents) const {
  return base::WriteFileAtomically(absl::StrCat(temporary_, "/", name), contents);
}

absl::Status StepDirectory::Commit() {
  HYDRA_RETURN_IF_ERROR(SyncTree(temporary_));
  std::error_code error;
  fs::rename(temporary_, path_, error);
  if (error) return SystemError("cannot rename to it", path_, error);
  const std::string parent = fs::path(path_).parent_path().string();
  return base::SyncPath(parent.empty() ? "." : parent);
}

}  // namespace hydra::builder
