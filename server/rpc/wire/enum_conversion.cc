#include "server/rpc/wire/enum_conversion.h"

namespace hydra::rpc {

v1::CertificateState ToProto(policy::CertificateState state) {
  switch (state) {
    case policy::CertificateState::kValid:
      return v1::CERTIFICATE_STATE_VALID;
    case policy::CertificateState::kVoid:
      return v1::CERTIFICATE_STATE_VOID;
    case policy::CertificateState::kStale:
      return v1::CERTIFICATE_STATE_STALE;
  }
  return v1::CERTIFICATE_STATE_UNSPECIFIED;
}

v1::AbstentionReason ToProto(uncertainty::AbstentionReason reason) {
  switch (reason) {
    case uncertainty::AbstentionReason::kLowConfidence:
      return v1::ABSTENTION_REASON_LOW_CONFIDENCE;
    case uncertainty::AbstentionReason::kMembersDisagree:
      return v1::ABSTENTION_REASON_MEMBERS_DISAGREE;
    case uncertainty::AbstentionReason::kUnfamiliarInput:
      return v1::ABSTENTION_REASON_UNFAMILIAR_INPUT;
    case uncertainty::AbstentionReason::kConformalSet:
      return v1::ABSTENTION_REASON_CONFORMAL_SET;
    case uncertainty::AbstentionReason::kPolicyClass:
      return v1::ABSTENTION_REASON_POLICY_CLASS;
  }
  return v1::ABSTENTION_REASON_UNSPECIFIED;
}

}  // namespace hydra::rpc
