// Owns the live state: which bundle answers and which policy decides, always as one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/base/clock.h"
#include "model/base/mutex.h"
#include "server/policy/policy.h"
#include "server/policy/preview.h"
#include "server/policy/reservoir.h"
#include "server/policy/served_bundle.h"
#include "server/policy/store.h"

namespace hydra::policy {

// Immutable; a request takes one and answers by it, whatever changes meanwhile.
struct Snapshot {
  std::shared_ptr<const ServedBundle> bundle;  // co-owned by every snapshot of the same bundle
  Policy policy;
};

enum class Mode { kApply, kValidateOnly };

struct ChangeRequest {
  std::string etag;  // of the policy that the caller saw; empty: not compared
  std::string author;
  Mode mode = Mode::kApply;
};

// Thread-safe; readers never wait for the store.
class Keeper {
 public:
  static constexpr size_t kMaxRevisions = 100;  // kept in the store

  // Takes up the stored policy.  One that was made for another bundle is never applied: it is
  // derived anew from its intent, or the server does not start.  Without a stored policy the
  // bundle's own is used, and without that one without rules.  `store`, `reservoir` and `clock`
  // outlive the keeper.
  // Errors: FAILED_PRECONDITION the store or the bundle's policy is not valid, or the stored intent
  // cannot be met by this bundle; INTERNAL the store cannot be written.
  static absl::StatusOr<std::unique_ptr<Keeper>> Create(ServedBundle bundle, Store& store,
                                                        const Reservoir& reservoir,
                                                        const base::Clock& clock);

  // Never null.  Co-owned by the requests that are answered by it.
  std::shared_ptr<const Snapshot> Current() const;

  // Returns the new policy, or with kValidateOnly the one that would be stored.
  // Errors: INVALID_ARGUMENT rules or target out of range; ABORTED ETAG_MISMATCH;
  // FAILED_PRECONDITION TARGET_INFEASIBLE (metadata n, n_needed) or NO_CERTIFICATE; INTERNAL the
  // store cannot be written (the old policy stays).
  absl::StatusOr<Policy> Update(const Change& change, const ChangeRequest& request);

  // `revision` unset: the one before the active one.  Errors: NOT_FOUND no such revision in the
  // history; as Update.
  absl::StatusOr<Policy> Rollback(std::optional<uint64_t> revision, const ChangeRequest& request);

  // Errors: as Update; INVALID_ARGUMENT delta outside (0, 1).
  absl::StatusOr<Preview> PreviewChange(const Change& change, std::optional<double> delta) const;

  // Newest first.
  std::vector<Policy> Revisions() const;

  // Reads the store again, after somebody edited the file.  Errors: as Create; the old policy
  // stays.
  absl::Status Reload();

 private:
  Keeper(std::shared_ptr<const ServedBundle> bundle, Store& store, const Reservoir& reservoir,
         const base::Clock& clock)
      : bundle_(std::move(bundle)), store_(store), reservoir_(reservoir), clock_(clock) {}

  absl::StatusOr<History> TakeUp(History history) const;
  absl::StatusOr<Policy> MakePolicy(const Change& change, uint64_t revision,
                                    absl::string_view author) const;
  absl::StatusOr<Policy> Append(const Change& change, const ChangeRequest& request)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  absl::Status CheckEtag(const ChangeRequest& request) const;
  void Publish(History history);

  const std::shared_ptr<const ServedBundle> bundle_;  // co-owned by the snapshots
  Store& store_;
  const Reservoir& reservoir_;
  const base::Clock& clock_;
  base::Mutex change_mutex_;  // one change at a time, held across the store's fsync
  mutable base::Mutex mutex_;
  std::shared_ptr<const Snapshot> current_ ABSL_GUARDED_BY(mutex_);
  History history_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hydra::policy
