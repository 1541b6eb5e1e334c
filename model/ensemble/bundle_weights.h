// A network's parameters as they lie in a bundle: weights.safetensors under the plan of
// manifest.json.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/artifact/manifest.h"
#include "model/artifact/tensor_file.h"
#include "model/nn/network.h"

namespace hydra::ensemble {

// Fills members, member mode, branch layer, layers and shared_classifier of `manifest` from the
// network.
void DescribeNetwork(const nn::Network& network, artifact::Manifest& manifest);

// Bytes of weights.safetensors.  Kept heads only: padding is not stored.  Names, with [shape]:
//   images: patch.weight [D, c*p*p], patch.bias [D], prefix [P, D], position [T, D]
//   texts: word [V, D], position [max_positions, D]; both: embedding_norm.{weight,bias} [D]
//   layers.<l>.stream.<s>.qkv.weight [3*K_s*d_h, D] (rows (q, k, v) x head x feature), .qkv.bias,
//   .out.weight [D, K_s*d_h], .out.bias [D]; with shared_qkv one layers.<l>.qkv.{weight,bias} of
//   the union's heads layers.<l>.{norm1,norm2,fc1,fc2}.{weight,bias}, or
//   layers.<l>.stream.<s>.{...} where they are per stream of a trunk's last layer only
//   layers.<L-1>.stream.0.key_value.{weight [2*K*d_h, D],bias}, norm1 with norm_first and, unless
//   readers have their own, fc1 and fc2
//   readers.<l>.member.<m>.{norm1,query,out,norm2}.{weight,bias}, and by the plan
//   key_value.{weight,bias}, {fc1,fc2}.{weight,bias} or {fc1,fc2}.{down,up}
//   final_norm.{weight,bias}, pooler.{weight,bias}, projection [E, D], classifier.{weight,bias}, or
//   member.<m>.{...} where they are per member
// Those that the geometry does not ask for are absent.
absl::StatusOr<std::string> EncodeWeights(const nn::Network& network);

// Errors: FAILED_PRECONDITION a tensor that the manifest asks for is missing or of another shape,
// or one that it does not know; UNIMPLEMENTED a geometry that this build does not compute.
absl::StatusOr<nn::Network> DecodeWeights(const artifact::Manifest& manifest,
                                          const artifact::TensorFile& weights);

}  // namespace hydra::ensemble
