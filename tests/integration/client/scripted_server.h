// A real gRPC server on a free loopback port whose answers a test scripts.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "google/rpc/status.pb.h"
#include "grpcpp/grpcpp.h"
#include "hydra/v1/abstention.grpc.pb.h"
#include "hydra/v1/prediction.grpc.pb.h"

namespace hydra::integration {

// Handlers run on gRPC's threads and may run at the same time.
class ScriptedServer {
 public:
  using PredictHandler = std::function<grpc::Status(grpc::ServerContext&, const v1::PredictRequest&,
                                                    v1::PredictResponse&)>;
  using UpdateHandler = std::function<grpc::Status(const v1::UpdatePolicyRequest&)>;

  explicit ScriptedServer(PredictHandler predict, UpdateHandler update = nullptr)
      : prediction_(std::move(predict)), abstention_(std::move(update)) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.SetMaxReceiveMessageSize(-1);
    builder.RegisterService(&prediction_);
    builder.RegisterService(&abstention_);
    server_ = builder.BuildAndStart();
  }

  std::string endpoint() const { return absl::StrCat("127.0.0.1:", port_); }

  static grpc::Status Refusal(grpc::StatusCode code, const google::protobuf::Message& detail) {
    google::rpc::Status wire;
    wire.set_code(code);
    wire.add_details()->PackFrom(detail);
    return grpc::Status(code, "scripted", wire.SerializeAsString());
  }

 private:
  class Prediction final : public v1::PredictionService::Service {
   public:
    explicit Prediction(PredictHandler handler) : handler_(std::move(handler)) {}
    grpc::Status Predict(grpc::ServerContext* context, const v1::PredictRequest* request,
                         v1::PredictResponse* response) override {
      return handler_(*context, *request, *response);
    }

   private:
    PredictHandler handler_;
  };

  class Abstention final : public v1::AbstentionService::Service {
   public:
    explicit Abstention(UpdateHandler handler) : handler_(std::move(handler)) {}
    grpc::Status UpdatePolicy(grpc::ServerContext*, const v1::UpdatePolicyRequest* request,
                              v1::UpdatePolicyResponse*) override {
      return handler_ ? handler_(*request) : grpc::Status(grpc::StatusCode::UNIMPLEMENTED, "");
    }

   private:
    UpdateHandler handler_;
  };

  Prediction prediction_;
  Abstention abstention_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace hydra::integration
