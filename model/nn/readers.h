// Readers: members that are CLS streams of their own beside one trunk (design: member mode
// "reader").
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "model/artifact/manifest.h"
#include "model/nn/network.h"

namespace hydra::nn {

// Who computes the tokens of layer `l`: `plan[l]`, or the trunk's one stream under readers.
artifact::LayerPlan TokenPlan(const Network& network, size_t l);

// A trunk's last layer, whose tokens nobody reads any more.
bool GivesKeysValuesOnly(const Network& network, size_t l);

// What a trunk's last layer asks for.
std::vector<Parameter> KeyValueParameters(Network& network);

// What ReaderPlan asks for in layer `l` >= first_layer, in a fixed order.  Pointers live as long as
// `network`.
std::vector<Parameter> ReaderParameters(Network& network, size_t l);

// Tokens of each input that its answer is read from: 2 of "cls_distillation", else 1.
int64_t AnswerTokens(const Network& network);

// Checks the readers' plan: their heads are the trunk's, the pooling is a CLS token's.  Errors:
// FAILED_PRECONDITION, naming the part.
absl::Status CheckReaders(const Network& network);

}  // namespace hydra::nn
