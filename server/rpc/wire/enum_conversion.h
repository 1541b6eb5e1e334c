// Domain enumerations to hydra.v1.
#pragma once

#include "hydra/v1/abstention.pb.h"
#include "hydra/v1/prediction.pb.h"
#include "model/uncertainty/scores.h"
#include "server/policy/policy.h"

namespace hydra::rpc {

v1::CertificateState ToProto(policy::CertificateState state);

v1::AbstentionReason ToProto(uncertainty::AbstentionReason reason);

}  // namespace hydra::rpc
