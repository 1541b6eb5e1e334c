// A policy: when to abstain, what was asked for, and what is certified about it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "model/uncertainty/decision.h"
#include "model/uncertainty/scores.h"

namespace hydra::policy {

// Accepts an answer whose conformal set has at most `max_size` classes.
struct ConformalSetRule {
  size_t max_size = 0;
  std::optional<double> alpha;  // unset: the bundle's first quantile

  bool operator==(const ConformalSetRule&) const = default;
};

// An answer is accepted when every rule accepts it.  Asked in this order.
struct Rules {
  std::vector<uncertainty::Rule> scores;  // accept when score <= threshold; a score at most once
  std::optional<ConformalSetRule> conformal_set;
  std::vector<size_t> never_predict;  // classes, ascending

  bool empty() const { return scores.empty() && !conformal_set && never_predict.empty(); }
};
bool operator==(const Rules& a, const Rules& b);

struct Manual {
  bool operator==(const Manual&) const = default;
};

// Share of wrong answers among the accepted ones at most `risk`, with confidence 1 - delta.
struct TargetRisk {
  double risk = 0.0;
  double delta = 0.05;
  std::optional<uncertainty::Score> score;  // unset: the bundle's default score

  bool operator==(const TargetRisk&) const = default;
};

// Share of accepted answers at least `coverage`.
struct TargetCoverage {
  double coverage = 0.0;
  std::optional<uncertainty::Score> score;  // unset: the bundle's default score

  bool operator==(const TargetCoverage&) const = default;
};

// What was asked for, kept so that a new bundle can derive its own thresholds.
using Intent = std::variant<Manual, TargetRisk, TargetCoverage>;

enum class CertificateState {
  kValid,  // the rules were derived from the intent, for the bundle and the numerics that run
  kVoid,   // nothing is certified
  kStale,  // it was valid, but an alarm, its age or other numerics speak against it
};
// "VALID", "VOID", "STALE".
const char* ToString(CertificateState state);

struct Certificate {
  CertificateState state = CertificateState::kVoid;
  std::string reason;                // why not valid
  std::optional<double> risk_bound;  // on the selective risk, with confidence 1 - delta
  std::optional<double> delta;
  std::optional<double> coverage;  // share of the certify split that is accepted
  size_t n = 0;                    // rows of the certify split
  std::string dtype;               // numerics that made the certified scores
  std::string population;          // which data it speaks of
};

struct Policy {
  Rules rules;
  Intent intent;
  Certificate certificate;
  uint64_t revision = 0;      // counts changes, from 1
  std::string bundle_digest;  // whose scores the thresholds speak of
  absl::Time updated;
  std::string updated_by;
};

// Revisions ascending; the last is the active policy.
using History = std::vector<Policy>;

// What somebody wants: rules by hand (Manual intent), or a target that makes them.
struct Change {
  Rules rules;  // of Manual; ignored otherwise
  Intent intent;
};

// Names one state of the policy: equal exactly when revision, bundle, rules and intent are equal.
std::string EtagOf(const Policy& policy);

}  // namespace hydra::policy
