// Circuits: the heads whose loss hurts a utility most, layer by layer with the heads chosen before
// taken away (HeadMap: layer-conditioned locating).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "model/importance/selection.h"
#include "model/nn/input.h"
#include "model/nn/network.h"

namespace hydra::importance {

// The utility U, larger is better.
enum class CircuitObjective {
  kIdNll,        // minus the mean -log p_y of the labelled inputs
  kOodAuroc,     // P(max p of an input out of distribution < max p of one in it) + P(equal) / 2
  kBrier,        // minus the mean of sum_c (p_c - [c = y])^2
  kRankAverage,  // of kIdNll and kOodAuroc: see Circuit::drops
};

absl::StatusOr<CircuitObjective> ParseCircuitObjective(const std::string& name);
std::string CircuitObjectiveName(CircuitObjective objective);

struct CircuitSample {
  nn::Input id;
  at::Tensor labels;  // [N] int64 below C, of `id`
  nn::Input ood;      // read by kOodAuroc and kRankAverage only
};

struct CircuitOptions {
  CircuitObjective objective = CircuitObjective::kRankAverage;
  std::vector<size_t> keep;  // n_l: heads of each layer that become the circuit
  HeadTable lost_ranks;      // [L][H]: ranks that a head loses when chosen; empty: none
  // Tokens of all variants that a pass holds at once: bounds memory at about rows * (5 D + 2 F)
  // numbers beside the stored layer inputs.
  size_t rows_at_once = 32768;
};

// How many times an input went through a layer, summed over the inputs.  Of N inputs in L layers of
// H heads the candidates take N H L (L + 1) / 2; a search with full passes would take N H L^2.
struct CircuitCost {
  uint64_t candidate_layers = 0;
  uint64_t shared_layers = 0;  // of the heads' contexts, of nothing removed, and to the next layer
};

struct Circuit {
  // drops[l][h] = U(S) - U(S + (l, h)), S the chosen heads of the layers before l, which are
  // removed.  Of kRankAverage the mean of two ranks within the layer, by the drop of kIdNll and by
  // that of kOodAuroc: heads with a smaller drop plus half of the others with the same.
  HeadTable drops;
  std::vector<std::vector<size_t>> heads;  // [L][n_l], ascending: BestHeads of the drops
  CircuitCost cost;
};

// A removed head's context is 0; the output projection's bias stays.  The input of each layer is
// kept, its contexts are computed once, and the H candidates run as variants of one batch from
// there on.  `base`: M = 1, every head, with classes.  Errors: INVALID_ARGUMENT shapes or options
// that do not fit, or no input; INTERNAL LibTorch's message.
absl::StatusOr<Circuit> LocateCircuit(const nn::Network& base, const CircuitSample& sample,
                                      const CircuitOptions& options);

}  // namespace hydra::importance
