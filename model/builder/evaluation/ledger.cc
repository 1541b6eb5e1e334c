#include "model/builder/evaluation/ledger.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "model/base/file.h"
#include "model/base/status_macros.h"
#include "nlohmann/json.hpp"

namespace hydra::builder {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMaxLedgerBytes = size_t{64} << 20;

absl::Status SystemError(const std::string& path, absl::string_view what) {
  return absl::InternalError(absl::StrCat(path, ": cannot ", what, ": ", std::strerror(errno)));
}

}  // namespace

absl::Status AppendToLedger(const std::string& path, const LedgerEntry& entry) {
  const Json json = {
      {"when", absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", entry.when, absl::UTCTimeZone())},
      {"what", entry.what},
      {"weights_digest", entry.weights_digest},
      {"calibration_digest", entry.calibration_digest},
      {"test_digest", entry.test_digest},
      {"n", entry.n}};
  const std::string line = json.dump() + "\n";
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) return SystemError(path, "open");
  // One write of a short line to an O_APPEND file is not interleaved with another's.
  const bool written = write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  const absl::Status status = !written           ? SystemError(path, "write")
                              : fsync(file) != 0 ? SystemError(path, "fsync")
                                                 : absl::OkStatus();
  close(file);
  return status;
}

absl::StatusOr<Json> ReadLedger(const std::string& path) {
  Json entries = Json::array();
  const absl::StatusOr<std::string> text = base::ReadFile(path, kMaxLedgerBytes);
  if (absl::IsNotFound(text.status())) return entries;
  HYDRA_RETURN_IF_ERROR(text.status());
  size_t number = 0;
  for (const absl::string_view line : absl::StrSplit(*text, '\n')) {
    ++number;
    if (line.empty()) continue;
    Json entry = Json::parse(line.begin(), line.end(), nullptr, false);
    if (!entry.is_object()) {
      return absl::FailedPreconditionError(absl::StrCat(path, ":", number, ": not a ledger entry"));
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace hydra::builder
