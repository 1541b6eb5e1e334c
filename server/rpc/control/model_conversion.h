// A served bundle as a hydra.v1 Model.
#pragma once

#include <cstddef>

#include "hydra/v1/model.pb.h"
#include "server/policy/served_bundle.h"
#include "server/rpc/predict/row_reader.h"

namespace hydra::rpc {

// What the server accepts; published with every model.
struct PublishedLimits {
  RequestLimits request;
  size_t max_message_bytes = 0;
};

v1::Model ToProto(const policy::ServedBundle& bundle, const PublishedLimits& limits);

}  // namespace hydra::rpc
