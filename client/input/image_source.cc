#include "client/input/image_source.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "model/base/file.h"
#include "model/base/status_macros.h"

namespace hydra::input {
namespace {

namespace fs = std::filesystem;

bool HasImageName(const fs::path& path) {
  const std::string extension = path.extension().string();
  return absl::EqualsIgnoreCase(extension, ".jpg") || absl::EqualsIgnoreCase(extension, ".jpeg") ||
         absl::EqualsIgnoreCase(extension, ".png");
}

absl::StatusOr<std::vector<std::string>> ImagesBelow(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code no_type;  // a file that vanished meanwhile has none and is passed over
    if (it->is_regular_file(no_type) && HasImageName(it->path())) {
      files.push_back(it->path().string());
    }
  }
  if (error) return absl::InternalError(absl::StrCat(folder, ": ", error.message()));
  if (files.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(folder, ": no .jpg, .jpeg or .png file in it"));
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ImageSource>> ImageSource::Create(
    const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) return absl::NotFoundError(absl::StrCat(path, ": no such file"));
    if (!fs::is_directory(status)) {
      files.push_back(path);
      continue;
    }
    HYDRA_ASSIGN_OR_RETURN(std::vector<std::string> below, ImagesBelow(path));
    files.insert(files.end(), below.begin(), below.end());
  }
  return std::unique_ptr<ImageSource>(new ImageSource(std::move(files)));
}

ImageSource::ImageSource(std::vector<std::string> files) : files_(std::move(files)) {}

absl::StatusOr<std::vector<NamedInput>> ImageSource::Next(size_t count) {
  std::vector<NamedInput> inputs;
  for (; inputs.size() < count && next_ < files_.size(); ++next_) {
    HYDRA_ASSIGN_OR_RETURN(std::string bytes, base::ReadFile(files_[next_], kMaxImageBytes));
    inputs.push_back({.name = files_[next_]});
    inputs.back().instance.set_image(std::move(bytes));
  }
  return inputs;
}

}  // namespace hydra::input
