// Answered rows to hydra.v1 Prediction messages.
#pragma once

#include "hydra/v1/prediction.pb.h"
#include "server/rpc/predict/answering.h"
#include "server/rpc/predict/plan.h"
#include "server/rpc/predict/predict_conversion.h"

namespace hydra::rpc {

v1::Prediction MakePrediction(const AnsweredRow& row, const PredictPlan& plan);

v1::Timings MakeTimings(const CallTimings& timings);

}  // namespace hydra::rpc
