// hydra.v1 messages of AbstentionService to domain types and back.
#pragma once

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/field_mask.pb.h"
#include "google/protobuf/repeated_ptr_field.h"
#include "hydra/v1/abstention.pb.h"
#include "server/policy/policy.h"
#include "server/policy/preview.h"

namespace hydra::rpc {

v1::Policy ToProto(const policy::Policy& policy);
v1::PreviewPolicyResponse ToProto(const policy::Preview& preview);

// Errors: INVALID_ARGUMENT BAD_POLICY, the violation's path starting with `prefix` ("policy.").
absl::StatusOr<policy::Rules> RulesFromProto(
    const google::protobuf::RepeatedPtrField<v1::PolicyRule>& rules, absl::string_view prefix);
absl::StatusOr<policy::Intent> IntentFromProto(const v1::PolicyIntent& intent,
                                               absl::string_view prefix);

// What a policy and a mask ask for: a target, or rules by hand.  An empty mask means the fields
// that are set.  Errors: INVALID_ARGUMENT BAD_MASK an unknown path, nothing to change, or rules
// together with a target; BAD_POLICY as above.
absl::StatusOr<policy::Change> ChangeFromProto(const v1::Policy& policy,
                                               const google::protobuf::FieldMask& mask);

// The same for a preview, whose rules or intent are set.
absl::StatusOr<policy::Change> ChangeFromProto(const v1::PreviewPolicyRequest& request);

// Puts `prefix` before the paths of the violations that the domain knows without it.
absl::Status WithPathPrefix(const absl::Status& status, absl::string_view prefix);

}  // namespace hydra::rpc
