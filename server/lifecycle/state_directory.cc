#include "server/lifecycle/state_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace hydra::lifecycle {

absl::StatusOr<std::unique_ptr<StateDirectory>> StateDirectory::Open(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) {
    return absl::InternalError(
        absl::StrCat("policy.state_directory: create ", path, ": ", error.message()));
  }
  const std::string lock_path = path + "/lock";
  const int lock = ::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock < 0) {
    return absl::InternalError(
        absl::StrCat("policy.state_directory: open ", lock_path, ": ", std::strerror(errno)));
  }
  if (::flock(lock, LOCK_EX | LOCK_NB) != 0) {
    const int reason = errno;
    ::close(lock);
    if (reason == EWOULDBLOCK) {
      return absl::FailedPreconditionError(
          absl::StrCat("policy.state_directory: ", path, " is in use by another process"));
    }
    return absl::InternalError(
        absl::StrCat("policy.state_directory: lock ", lock_path, ": ", std::strerror(reason)));
  }
  return std::unique_ptr<StateDirectory>(new StateDirectory(path, lock));
}

StateDirectory::~StateDirectory() { ::close(lock_); }

}  // namespace hydra::lifecycle
