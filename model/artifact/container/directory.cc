#include "model/artifact/container/directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "model/base/file.h"
#include "model/base/status_macros.h"

namespace hydra::artifact::container {
namespace {

namespace fs = std::filesystem;

constexpr size_t kReadChunk = size_t{1} << 30;  // read(2) moves at most 2 GiB a call

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};
using DirectoryStream = std::unique_ptr<DIR, CloseDirectory>;

absl::Status SystemError(absl::string_view action, absl::string_view path) {
  const int error = errno;
  const std::string message = absl::StrCat(action, " ", path, ": ", std::strerror(error));
  if (error == ENOENT || error == ENOTDIR) return absl::NotFoundError(message);
  if (error == ELOOP) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": got a symbolic link, want a file"));
  }
  return absl::InternalError(message);
}

// Walks one bundle directory.  Everything is opened relative to an open folder and without
// following links, so that nothing outside the bundle is reached even while it is being changed.
class DirectoryReader {
 public:
  DirectoryReader(std::string root, const ReadLimits& limits)
      : root_(std::move(root)), limits_(limits) {}

  absl::StatusOr<FileMap> Read() {
    const int fd = ::open(root_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return SystemError("open", root_);
    HYDRA_RETURN_IF_ERROR(ReadFolder(fd, ""));
    return std::move(files_);
  }

 private:
  // Takes over `fd`.
  absl::Status ReadFolder(int fd, const std::string& prefix) {
    const DirectoryStream folder(::fdopendir(fd));
    if (folder == nullptr) {
      const absl::Status failed = SystemError("open folder", absl::StrCat(root_, "/", prefix));
      ::close(fd);
      return failed;
    }
    errno = 0;
    while (const dirent* entry = ::readdir(folder.get())) {
      const std::string name = entry->d_name;
      if (name == "." || name == "..") continue;
      const std::string path = absl::StrCat(prefix, name);
      HYDRA_RETURN_IF_ERROR(CheckPath(path));
      HYDRA_RETURN_IF_ERROR(ReadEntry(::dirfd(folder.get()), name, path));
      errno = 0;
    }
    return errno == 0 ? absl::OkStatus() : SystemError("list", absl::StrCat(root_, "/", prefix));
  }

  absl::Status ReadEntry(int folder, const std::string& name, const std::string& path) {
    // O_NONBLOCK: opening a pipe must not wait for its writer.
    const int fd = ::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return SystemError("open", path);
    struct stat attributes {};
    if (::fstat(fd, &attributes) != 0) {
      const absl::Status failed = SystemError("stat", path);
      ::close(fd);
      return failed;
    }
    if (S_ISDIR(attributes.st_mode)) return ReadFolder(fd, absl::StrCat(path, "/"));
    const absl::Status status =
        S_ISREG(attributes.st_mode)
            ? ReadRegular(fd, static_cast<size_t>(attributes.st_size), path)
            : absl::InvalidArgumentError(absl::StrCat(path, ": not a regular file"));
    ::close(fd);
    return status;
  }

  absl::Status ReadRegular(int fd, size_t size, const std::string& path) {
    if (size > limits_.max_file_bytes || size > limits_.max_total_bytes - total_bytes_) {
      return absl::ResourceExhaustedError(
          absl::StrCat(path, ": got ", size, " bytes, want at most ", limits_.max_file_bytes,
                       " a file and ", limits_.max_total_bytes, " in all"));
    }
    if (files_.size() >= limits_.max_files) {
      return absl::ResourceExhaustedError(
          absl::StrCat(root_, ": got more than ", limits_.max_files, " files"));
    }
    std::string bytes(size, '\0');
    size_t filled = 0;
    while (filled < size) {
      const ssize_t got = ::read(fd, bytes.data() + filled, std::min(size - filled, kReadChunk));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return SystemError("read", path);
      if (got == 0) break;
      filled += static_cast<size_t>(got);
    }
    bytes.resize(filled);
    total_bytes_ += filled;
    files_.emplace(path, std::move(bytes));
    return absl::OkStatus();
  }

  const std::string root_;
  const ReadLimits limits_;
  FileMap files_;
  size_t total_bytes_ = 0;
};

// Removes a half-written directory unless the write was completed.
class Cleanup {
 public:
  explicit Cleanup(fs::path path) : path_(std::move(path)) {}
  Cleanup(const Cleanup&) = delete;
  Cleanup& operator=(const Cleanup&) = delete;
  ~Cleanup() {
    std::error_code ignored;  // the write's own error is the one that is reported
    if (!kept_) fs::remove_all(path_, ignored);
  }
  void Keep() { kept_ = true; }

 private:
  const fs::path path_;
  bool kept_ = false;
};

absl::Status MakeFolders(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (!error) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("create ", path.string(), ": ", error.message()));
}

absl::Status WriteFiles(const FileMap& files, const fs::path& root) {
  for (const auto& [path, bytes] : files) {
    HYDRA_RETURN_IF_ERROR(CheckPath(path));
    HYDRA_RETURN_IF_ERROR(MakeFolders((root / path).parent_path()));
    HYDRA_RETURN_IF_ERROR(base::WriteFileAtomically((root / path).string(), bytes));
  }
  return base::SyncPath(root.string());
}

}  // namespace

absl::StatusOr<FileMap> ReadDirectory(const std::string& path, const ReadLimits& limits) {
  return DirectoryReader(path, limits).Read();
}

absl::Status WriteDirectory(const FileMap& files, const std::string& path) {
  const fs::path target =
      fs::path(path).has_filename() ? fs::path(path) : fs::path(path).parent_path();
  const fs::path parent = target.has_parent_path() ? target.parent_path() : fs::path(".");
  HYDRA_RETURN_IF_ERROR(MakeFolders(parent));
  std::string temporary = absl::StrCat(target.string(), ".tmp.XXXXXX");
  if (::mkdtemp(temporary.data()) == nullptr) return SystemError("create", temporary);
  Cleanup cleanup(temporary);
  HYDRA_RETURN_IF_ERROR(WriteFiles(files, temporary));
  if (::chmod(temporary.c_str(), 0755) != 0) return SystemError("chmod", temporary);
  // renameat2 would replace nothing, but not every file system has it; rename(2) replaces only an
  // empty directory, which the check below still refuses in all but a race.
  std::error_code error;
  if (fs::exists(fs::symlink_status(target, error))) {
    return absl::AlreadyExistsError(absl::StrCat(path, ": already there"));
  }
  if (::rename(temporary.c_str(), target.c_str()) != 0) return SystemError("rename to", path);
  cleanup.Keep();
  return base::SyncPath(parent.string());
}

}  // namespace hydra::artifact::container
