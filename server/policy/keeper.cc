#include "server/policy/keeper.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "model/base/status_detail.h"
#include "model/base/status_macros.h"
#include "server/policy/derive.h"
#include "server/policy/policy_json.h"
#include "server/policy/rules_check.h"

namespace hydra::policy {
namespace {

constexpr absl::string_view kServerAuthor = "server";
constexpr double kDefaultDelta = 0.05;

absl::Status AsPrecondition(const absl::Status& status, absl::string_view what) {
  return base::WithReason(absl::FailedPreconditionError(absl::StrCat(what, ": ", status.message())),
                          base::ReasonOf(status).empty() ? "BAD_POLICY" : base::ReasonOf(status));
}

absl::StatusOr<Change> InitialChange(const ServedBundle& bundle) {
  if (!bundle.policy_json) return Change{};
  return ParseBundlePolicy(*bundle.policy_json, "policy.json");
}

// What to do with a policy that was made for another bundle: its thresholds mean nothing here.
absl::StatusOr<Change> ChangeForNewBundle(const Policy& stored, const ServedBundle& bundle) {
  if (!std::holds_alternative<Manual>(stored.intent)) return Change{.intent = stored.intent};
  if (stored.rules.empty()) return Change{};
  return base::WithReason(
      absl::FailedPreconditionError(
          absl::StrCat("policy revision ", stored.revision, " was set by hand for bundle ",
                       stored.bundle_digest, " and says nothing about bundle ", bundle.digest,
                       ": set a target before changing bundles, or move the policy file away")),
      "POLICY_FOR_OTHER_BUNDLE");
}

// So that a start without news needs no writable file.
absl::Status SaveIfChanged(const History& stored, const History& history, Store& store) {
  HYDRA_ASSIGN_OR_RETURN(const std::string before, DumpHistory(stored));
  HYDRA_ASSIGN_OR_RETURN(const std::string after, DumpHistory(history));
  return before == after ? absl::OkStatus() : store.Save(history);
}

// Unset: the one before the active one.  `revisions`: newest first.
absl::StatusOr<Policy> FindRevision(const std::vector<Policy>& revisions,
                                    std::optional<uint64_t> revision) {
  for (size_t i = 0; i < revisions.size(); ++i) {
    if (revision ? revisions[i].revision == *revision : i == 1) return revisions[i];
  }
  return base::WithReason(
      absl::NotFoundError(
          revision ? absl::StrCat("revision: got ", *revision, ", which is not in the history")
                   : "there is no revision before the active one"),
      "REVISION_NOT_FOUND");
}

double DeltaOf(const Intent& intent, std::optional<double> asked) {
  if (asked) return *asked;
  const auto* risk = std::get_if<TargetRisk>(&intent);
  return risk != nullptr ? risk->delta : kDefaultDelta;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Keeper>> Keeper::Create(ServedBundle bundle, Store& store,
                                                       const Reservoir& reservoir,
                                                       const base::Clock& clock) {
  auto keeper = std::unique_ptr<Keeper>(
      new Keeper(std::make_shared<const ServedBundle>(std::move(bundle)), store, reservoir, clock));
  HYDRA_ASSIGN_OR_RETURN(const History stored, store.Load());
  HYDRA_ASSIGN_OR_RETURN(History history, keeper->TakeUp(stored));
  HYDRA_RETURN_IF_ERROR(SaveIfChanged(stored, history, store));
  keeper->Publish(std::move(history));
  return keeper;
}

std::shared_ptr<const Snapshot> Keeper::Current() const {
  const base::MutexLock lock(mutex_);
  return current_;
}

std::vector<Policy> Keeper::Revisions() const {
  const base::MutexLock lock(mutex_);
  return std::vector<Policy>(history_.rbegin(), history_.rend());
}

absl::StatusOr<Policy> Keeper::MakePolicy(const Change& change, uint64_t revision,
                                          absl::string_view author) const {
  HYDRA_ASSIGN_OR_RETURN(Derived derived, Derive(change, *bundle_));
  return Policy{.rules = std::move(derived.rules),
                .intent = change.intent,
                .certificate = std::move(derived.certificate),
                .revision = revision,
                .bundle_digest = bundle_->digest,
                .updated = clock_.WallNow(),
                .updated_by = std::string(author)};
}

absl::StatusOr<History> Keeper::TakeUp(History history) const {
  const bool fresh = history.empty();
  if (!fresh && history.back().bundle_digest == bundle_->digest) {
    const absl::Status status = CheckRules(history.back().rules, *bundle_);
    if (!status.ok()) return AsPrecondition(status, "the stored policy");
    history.back().certificate = Recertify(history.back(), *bundle_);
    return history;
  }
  const absl::StatusOr<Change> change =
      fresh ? InitialChange(*bundle_) : ChangeForNewBundle(history.back(), *bundle_);
  if (!change.ok()) return AsPrecondition(change.status(), "policy");
  const uint64_t revision = fresh ? 1 : history.back().revision + 1;
  absl::StatusOr<Policy> policy = MakePolicy(*change, revision, kServerAuthor);
  if (!policy.ok()) {
    return AsPrecondition(policy.status(),
                          fresh ? "policy.json of the bundle"
                                : "the stored policy cannot be derived for this bundle");
  }
  history.push_back(*std::move(policy));
  return history;
}

void Keeper::Publish(History history) {
  auto snapshot = std::make_shared<const Snapshot>(Snapshot{bundle_, history.back()});
  const base::MutexLock lock(mutex_);
  current_ = std::move(snapshot);
  history_ = std::move(history);
}

absl::Status Keeper::CheckEtag(const ChangeRequest& request) const {
  const std::string active = EtagOf(Current()->policy);
  if (request.etag.empty() || request.etag == active) return absl::OkStatus();
  return base::WithMetadata(
      base::WithReason(absl::AbortedError(absl::StrCat("etag: got ", request.etag,
                                                       ", the active policy has ", active)),
                       "ETAG_MISMATCH"),
      "etag", active);
}

absl::StatusOr<Policy> Keeper::Append(const Change& change, const ChangeRequest& request) {
  HYDRA_RETURN_IF_ERROR(CheckEtag(request));
  const uint64_t revision = Current()->policy.revision + 1;
  HYDRA_ASSIGN_OR_RETURN(Policy policy, MakePolicy(change, revision, request.author));
  if (request.mode == Mode::kValidateOnly) return policy;
  History history = Revisions();
  std::reverse(history.begin(), history.end());
  history.push_back(policy);
  if (history.size() > kMaxRevisions) {
    history.erase(history.begin(), history.end() - kMaxRevisions);
  }
  HYDRA_RETURN_IF_ERROR(store_.Save(history));
  Publish(std::move(history));
  return policy;
}

absl::StatusOr<Policy> Keeper::Update(const Change& change, const ChangeRequest& request) {
  const base::MutexLock lock(change_mutex_);
  return Append(change, request);
}

absl::StatusOr<Policy> Keeper::Rollback(std::optional<uint64_t> revision,
                                        const ChangeRequest& request) {
  const base::MutexLock lock(change_mutex_);
  HYDRA_ASSIGN_OR_RETURN(const Policy found, FindRevision(Revisions(), revision));
  if (found.bundle_digest == bundle_->digest) {
    return Append({.rules = found.rules, .intent = found.intent}, request);
  }
  HYDRA_ASSIGN_OR_RETURN(const Change change, ChangeForNewBundle(found, *bundle_));
  return Append(change, request);
}

absl::StatusOr<Preview> Keeper::PreviewChange(const Change& change,
                                              std::optional<double> delta) const {
  const std::shared_ptr<const Snapshot> active = Current();
  HYDRA_ASSIGN_OR_RETURN(Policy policy,
                         MakePolicy(change, active->policy.revision, active->policy.updated_by));
  return PreviewPolicy(std::move(policy), active->policy, *active->bundle, reservoir_.Samples(),
                       DeltaOf(change.intent, delta));
}

absl::Status Keeper::Reload() {
  const base::MutexLock lock(change_mutex_);
  HYDRA_ASSIGN_OR_RETURN(const History stored, store_.Load());
  HYDRA_ASSIGN_OR_RETURN(History history, TakeUp(stored));
  const Policy active = Current()->policy;
  if (EtagOf(history.back()) != EtagOf(active) && history.back().revision <= active.revision) {
    // The file was edited in place: what decides differently needs a revision of its own.
    history.back().revision = active.revision + 1;
  }
  HYDRA_RETURN_IF_ERROR(SaveIfChanged(stored, history, store_));
  Publish(std::move(history));
  return absl::OkStatus();
}

}  // namespace hydra::policy
