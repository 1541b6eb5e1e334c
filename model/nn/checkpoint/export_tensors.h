// Parameters of a network under a checkpoint's names.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>

#include "model/nn/checkpoint/config.h"
#include "model/nn/network.h"

namespace hydra::nn {

// Of a network of one member with every head; `config` says what the checkpoint has and how it is
// called, so a classifier that it does not name is left out.  Throws c10::Error.
std::map<std::string, at::Tensor> ExportTensors(const Network& network,
                                                const EncoderConfig& config);

}  // namespace hydra::nn
