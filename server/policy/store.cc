#include "server/policy/store.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "model/base/file.h"
#include "model/base/status_macros.h"
#include "server/policy/policy_json.h"

namespace hydra::policy {
namespace {

constexpr size_t kMaxFileBytes = size_t{16} << 20;  // 100 policies are below 1 MB

// A writer that was killed leaves its temporary file.  Failures do not matter: the file stays.
void RemoveLeftovers(const std::string& path) {
  const std::filesystem::path file(path);
  const std::string prefix = file.filename().string() + base::kTemporaryInfix;
  std::error_code ignored;
  for (std::filesystem::directory_iterator entry(file.parent_path(), ignored), end;
       !ignored && entry != end; entry.increment(ignored)) {
    if (absl::StartsWith(entry->path().filename().string(), prefix)) {
      std::filesystem::remove(entry->path(), ignored);
    }
  }
}

}  // namespace

absl::StatusOr<History> FileStore::Load() const {
  const absl::StatusOr<std::string> text = base::ReadFile(path_, kMaxFileBytes);
  if (absl::IsNotFound(text.status())) return History{};
  if (!text.ok()) return absl::FailedPreconditionError(text.status().message());
  absl::StatusOr<History> history = ParseHistory(*text, path_);
  if (!history.ok()) {
    return absl::FailedPreconditionError(
        absl::StrCat(history.status().message(),
                     " (repair the policy file or move it away; it is not replaced)"));
  }
  return history;
}

absl::Status FileStore::Save(const History& history) {
  HYDRA_ASSIGN_OR_RETURN(const std::string text, DumpHistory(history));
  RemoveLeftovers(path_);
  return base::WriteFileAtomically(path_, text);
}

absl::StatusOr<History> MemoryStore::Load() const {
  const base::MutexLock lock(mutex_);
  return history_;
}

absl::Status MemoryStore::Save(const History& history) {
  const base::MutexLock lock(mutex_);
  history_ = history;
  return absl::OkStatus();
}

}  // namespace hydra::policy
