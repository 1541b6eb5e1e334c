// hydra.v1.FeedbackService: its turn comes later.
#pragma once

#include "grpcpp/server_context.h"
#include "grpcpp/support/status.h"
#include "hydra/v1/feedback.grpc.pb.h"
#include "server/rpc/wire/handler.h"

namespace hydra::rpc {

// Thread-safe.  `environment` outlives it.
class FeedbackService final : public v1::FeedbackService::Service {
 public:
  explicit FeedbackService(const ControlEnvironment& environment) : environment_(environment) {}

  grpc::Status ReportOutcomes(grpc::ServerContext* context, const v1::ReportOutcomesRequest*,
                              v1::ReportOutcomesResponse* response) override {
    return AnswerUnimplemented(environment_, *context, "hydra.v1.FeedbackService/ReportOutcomes",
                               *response);
  }

  grpc::Status GetCalibration(grpc::ServerContext* context, const v1::GetCalibrationRequest*,
                              v1::GetCalibrationResponse* response) override {
    return AnswerUnimplemented(environment_, *context, "hydra.v1.FeedbackService/GetCalibration",
                               *response);
  }

 private:
  const ControlEnvironment& environment_;
};

}  // namespace hydra::rpc
