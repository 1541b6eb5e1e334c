// Method "circuit" of the step "score": one layer-conditioned circuit for each member.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "model/builder/networks/head_choice.h"
#include "model/builder/options/option_field.h"
#include "model/builder/selection/score_source.h"
#include "model/builder/steps/step_context.h"

namespace hydra::builder {

struct CircuitScoreOptions {
  // Member m takes objective m modulo their number: names of importance::CircuitObjective.
  std::vector<std::string> objectives = {"id_nll", "ood_auroc", "rank_average"};
  size_t images = 250;  // of select, and as many proxies
  // Heads of a layer that are removed before the next one is scored.  With those of `select` and
  // its penalty, `select` chooses the circuits themselves.
  size_t keep = 0;
  std::vector<size_t> keep_per_layer;
  double overlap_penalty = 0.0;
};

// Keys start with "circuit_".
std::vector<OptionField> Fields(CircuitScoreOptions& options);

// Each member on its own bootstrap of "select" and of proxies made from it (MakeProxyOod), drawn
// with `scores.seed`.  Fills the importance and the choices.  Errors: INVALID_ARGUMENT options that
// make no sense; as importance::LocateCircuit.
absl::Status ScoreByCircuit(const CircuitScoreOptions& options, const ScoreSource& source,
                            HeadScores& scores, StepContext context);

}  // namespace hydra::builder
