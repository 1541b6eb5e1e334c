// From what somebody wants to rules that a bundle's data supports.
#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/artifact/calibration.h"
#include "model/uncertainty/scores.h"
#include "server/policy/policy.h"
#include "server/policy/served_bundle.h"

namespace hydra::policy {

struct Derived {
  Rules rules;
  Certificate certificate;
};

// A manual intent keeps the rules it came with and certifies nothing; a target takes its cut from
// the certificate table of its score and of the numerics that run.
// Errors, with the wrong field as in "rules[0].score" or "intent.target_risk.risk":
//   INVALID_ARGUMENT    BAD_POLICY: a rule or target out of range, or a score that this bundle has
//   not FAILED_PRECONDITION TARGET_INFEASIBLE, metadata n and, where more data could help,
//   n_needed;
//                       NO_CERTIFICATE: no table for the score and the numerics
absl::StatusOr<Derived> Derive(const Change& change, const ServedBundle& bundle);

// What is certified about a policy that was stored: VALID only when its intent gives its rules
// again, VOID when somebody changed them, STALE when the intent cannot be derived any more.
Certificate Recertify(const Policy& policy, const ServedBundle& bundle);

// The table of `score` for the numerics that run.  Errors: FAILED_PRECONDITION NO_CERTIFICATE.
absl::StatusOr<artifact::CertificateTable> FindTable(uncertainty::Score score,
                                                     const ServedBundle& bundle);

// Errors: FAILED_PRECONDITION the bundle names a default score that does not exist.
absl::StatusOr<uncertainty::Score> DefaultScore(const ServedBundle& bundle);

}  // namespace hydra::policy
