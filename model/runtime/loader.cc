#include "model/runtime/loader.h"

#include "model/artifact/bundle.h"
#include "model/base/status_macros.h"
#include "model/ensemble/bundle_weights.h"
#include "model/runtime/network_predictor.h"

namespace hydra::runtime {

absl::StatusOr<std::unique_ptr<Predictor>> LoadPredictor(const artifact::Bundle& bundle,
                                                         PredictorOptions options) {
  HYDRA_ASSIGN_OR_RETURN(const nn::Network network,
                         ensemble::DecodeWeights(bundle.manifest(), bundle.weights()));
  return MakePredictor(network, options);
}

}  // namespace hydra::runtime
