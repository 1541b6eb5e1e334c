// Answered rows to hydra.v1 Prediction messages.
#pragma once

#include "hydra/v1/abstention.pb.h"
#include "hydra/v1/prediction.pb.h"
#include "model/uncertainty/scores.h"
#include "server/policy/policy.h"
#include "server/rpc/predict/answering.h"
#include "server/rpc/predict/plan.h"
#include "server/rpc/predict/predict_conversion.h"

namespace hydra::rpc {

v1::Prediction MakePrediction(const AnsweredRow& row, const PredictPlan& plan);

v1::Timings MakeTimings(const CallTimings& timings);

v1::CertificateState ToProto(policy::CertificateState state);

v1::AbstentionReason ToProto(uncertainty::AbstentionReason reason);

}  // namespace hydra::rpc
