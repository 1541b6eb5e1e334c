#include "model/data/image_folder.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"

namespace hydra::data {
namespace {

namespace fs = std::filesystem;

// Visible entries of one folder, sorted by name.
struct Entries {
  std::vector<fs::path> folders;
  std::vector<fs::path> files;
};

absl::Status SystemError(const fs::path& path, const std::error_code& error) {
  const std::string message = absl::StrCat(path.string(), ": ", error.message());
  if (error == std::errc::no_such_file_or_directory) return absl::NotFoundError(message);
  return absl::InternalError(message);
}

bool IsImageName(const fs::path& path) {
  const std::string extension = absl::AsciiStrToLower(path.extension().string());
  return extension == ".png" || extension == ".jpg" || extension == ".jpeg";
}

absl::StatusOr<Entries> List(const fs::path& folder) {
  Entries entries;
  std::error_code error;
  fs::directory_iterator next(folder, error);
  for (; !error && next != fs::directory_iterator(); next.increment(error)) {
    const fs::path path = next->path();
    if (path.filename().string().front() == '.') continue;
    const bool is_folder = fs::is_directory(path, error);
    if (error) break;
    if (!is_folder && !IsImageName(path)) {
      return absl::InvalidArgumentError(
          absl::StrCat(path.string(), ": got another file, want .png, .jpg or .jpeg"));
    }
    (is_folder ? entries.folders : entries.files).push_back(path);
    if (entries.files.size() > kMaxExamples) {
      return absl::ResourceExhaustedError(
          absl::StrCat(folder.string(), ": got more than ", kMaxExamples, " files"));
    }
  }
  if (error) return SystemError(folder, error);
  std::sort(entries.folders.begin(), entries.folders.end());
  std::sort(entries.files.begin(), entries.files.end());
  return entries;
}

absl::Status AddClass(const fs::path& folder, ExampleList& list) {
  HYDRA_ASSIGN_OR_RETURN(const Entries entries, List(folder));
  if (!entries.folders.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(entries.folders.front().string(), ": got a folder inside a class"));
  }
  if (entries.files.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(folder.string(), ": got a class without images"));
  }
  for (const fs::path& file : entries.files) {
    list.examples.push_back({.image = file.string(), .text = "", .label = list.class_names.size()});
  }
  list.class_names.push_back(folder.filename().string());
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ExampleList> ReadImageFolder(const std::string& path) {
  HYDRA_ASSIGN_OR_RETURN(const Entries root, List(path));
  if (root.folders.empty() == root.files.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": got ", root.folders.size(), " folders and ", root.files.size(),
                     " images, want one sub-folder a class, or images alone"));
  }
  ExampleList list;
  for (const fs::path& file : root.files) {
    list.examples.push_back({.image = file.string(), .text = "", .label = std::nullopt});
  }
  for (const fs::path& folder : root.folders) HYDRA_RETURN_IF_ERROR(AddClass(folder, list));
  if (list.examples.size() > kMaxExamples) {
    return absl::ResourceExhaustedError(
        absl::StrCat(path, ": got more than ", kMaxExamples, " images"));
  }
  return list;
}

}  // namespace hydra::data
