#include "server/policy/policy.h"

#include <algorithm>

#include "model/base/sha256.h"
#include "server/policy/policy_json.h"

namespace hydra::policy {
namespace {

constexpr size_t kEtagDigits =
    16;  // 64 bits: a chance meeting of two states is out of the question

}  // namespace

bool operator==(const Rules& a, const Rules& b) {
  const auto same_rule = [](const uncertainty::Rule& x, const uncertainty::Rule& y) {
    return x.score == y.score && x.threshold == y.threshold;
  };
  return std::equal(a.scores.begin(), a.scores.end(), b.scores.begin(), b.scores.end(),
                    same_rule) &&
         a.conformal_set == b.conformal_set && a.never_predict == b.never_predict;
}

const char* ToString(CertificateState state) {
  switch (state) {
    case CertificateState::kValid:
      return "VALID";
    case CertificateState::kVoid:
      return "VOID";
    case CertificateState::kStale:
      return "STALE";
  }
  return "";
}

std::string EtagOf(const Policy& policy) {
  return base::Sha256Hex(IdentityText(policy)).substr(0, kEtagDigits);
}

}  // namespace hydra::policy
