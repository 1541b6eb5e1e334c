// The text of policies: the store's file, and policy.json of a bundle.
//
// Store: {"format_version": 1, "revisions": [POLICY, ...]}, revisions ascending.
// POLICY: {"revision", "bundle_digest", "updated" (RFC 3339), "updated_by", "intent", "rules",
//   "certificate"}.
// Bundle: {"format_version": 1, "intent": INTENT, "rules": RULES}; rules only with a manual intent.
// INTENT: {"kind": "manual"}, {"kind": "target_risk", "risk": 0.02, "delta": 0.05, "score": NAME}
// or
//   {"kind": "target_coverage", "coverage": 0.9, "score": NAME}; without "score" the bundle's
//   default score, without "delta" 0.05.
// RULES: {"scores": [{"score": NAME, "threshold": 0.5}], "conformal_set": {"max_size": 1, "alpha":
//   0.1}, "never_predict": [3]}; each key may be absent.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/policy/policy.h"

namespace hydra::policy {

// Errors: INVALID_ARGUMENT an author is not UTF-8.
absl::StatusOr<std::string> DumpHistory(const History& history);

// `file` names the text in errors.  Errors: INVALID_ARGUMENT naming the file and the field: not
// JSON, an unknown or missing key, a value of the wrong type or out of range, revisions that do not
// ascend, no revision.
absl::StatusOr<History> ParseHistory(absl::string_view text, absl::string_view file);

// Errors: as ParseHistory.
absl::StatusOr<Change> ParseBundlePolicy(absl::string_view text, absl::string_view file);

// Revision, bundle, intent and rules as one text; equal texts, equal policies.
std::string IdentityText(const Policy& policy);

}  // namespace hydra::policy
