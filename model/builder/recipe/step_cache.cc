#include "model/builder/recipe/step_cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "model/base/sha256.h"
#include "model/base/status_macros.h"

namespace hydra::builder {
namespace {

constexpr size_t kKeyInName = 16;

}  // namespace

absl::StatusOr<std::unique_ptr<StepCache>> StepCache::Open(const std::string& directory,
                                                           StepContext context) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error)
    return absl::InternalError(absl::StrCat(directory, ": cannot create: ", error.message()));
  const std::string path = directory + "/lock";
  const int lock = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock < 0)
    return absl::InternalError(absl::StrCat(path, ": cannot open: ", std::strerror(errno)));
  if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
    close(lock);
    return absl::FailedPreconditionError(
        absl::StrCat(directory, ": another build is using it, want one at a time"));
  }
  return std::unique_ptr<StepCache>(new StepCache(directory, lock, context));
}

StepCache::~StepCache() { close(lock_); }

absl::StatusOr<StepOutput> StepCache::Run(
    const std::string& step, const nlohmann::ordered_json& made_from,
    absl::FunctionRef<absl::Status(const std::string& out)> run) {
  const nlohmann::ordered_json all = {
      {"tool", HYDRA_VERSION}, {"step", step}, {"made_from", made_from}};
  const std::string key = base::Sha256Hex(all.dump());
  StepOutput output{absl::StrCat(directory_, "/", step, "-", key.substr(0, kKeyInName)), key};
  std::error_code error;
  if (std::filesystem::exists(output.path, error)) {
    context_.console.Line(absl::StrCat("== ", step, ": already made, ", output.path));
    return output;
  }
  context_.console.Line(absl::StrCat("== ", step, ": ", output.path));
  const absl::Time start = context_.clock.MonotonicNow();
  HYDRA_RETURN_IF_ERROR(run(output.path));
  context_.console.Line(absl::StrFormat(
      "== %s: done in %.1f s", step, absl::ToDoubleSeconds(context_.clock.MonotonicNow() - start)));
  return output;
}

}  // namespace hydra::builder
