#include "model/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"

namespace hydra::base {
namespace {

absl::Status SystemError(absl::string_view action, const std::string& path) {
  const int error = errno;
  const std::string message = absl::StrCat(action, " ", path, ": ", std::strerror(error));
  return error == ENOENT ? absl::NotFoundError(message) : absl::InternalError(message);
}

// Owns one file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }

 private:
  int fd_;
};

absl::Status WriteAll(int fd, absl::string_view contents, const std::string& path) {
  while (!contents.empty()) {
    const ssize_t written = ::write(fd, contents.data(), contents.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return SystemError("write", path);
    contents.remove_prefix(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path, size_t max_bytes) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid()) return SystemError("open", path);
  struct stat attributes {};
  if (::fstat(file.get(), &attributes) != 0) return SystemError("stat", path);
  if (!S_ISREG(attributes.st_mode)) {
    return absl::FailedPreconditionError(absl::StrCat(path, ": not a regular file"));
  }
  if (static_cast<size_t>(attributes.st_size) > max_bytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat(path, ": got ", attributes.st_size, " bytes, want at most ", max_bytes));
  }
  std::string contents(static_cast<size_t>(attributes.st_size), '\0');
  size_t filled = 0;
  while (filled < contents.size()) {
    const ssize_t got = ::read(file.get(), contents.data() + filled, contents.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemError("read", path);
    if (got == 0) break;
    filled += static_cast<size_t>(got);
  }
  contents.resize(filled);
  return contents;
}

absl::Status WriteFileAtomically(const std::string& path, absl::string_view contents) {
  const std::string temporary = absl::StrCat(path, kTemporaryInfix, ::getpid());
  {
    const Descriptor file(
        ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!file.valid()) return SystemError("create", temporary);
    HYDRA_RETURN_IF_ERROR(WriteAll(file.get(), contents, temporary));
    if (::fsync(file.get()) != 0) return SystemError("fsync", temporary);
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) return SystemError("rename to", path);
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  return SyncPath(parent.empty() ? "." : parent.string());
}

absl::Status SyncPath(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return SystemError("open", path);
  if (::fsync(file.get()) != 0) return SystemError("fsync", path);
  return absl::OkStatus();
}

}  // namespace hydra::base
