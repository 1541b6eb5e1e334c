// Random checkpoints of every family with what the reference library computes of them
// (tests/golden/make_encoder_vectors.py).
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "model/nn/network.h"
#include "model/nn/pass/forward.h"

namespace hydra::testing {

// The folder of a case.
std::string EncoderCase(const std::string& name);

// R tokens of all inputs one after the other; t_b of input b.
struct EncoderVectors {
  nn::Input input;
  at::Tensor answer;                  // [B, C]: logits, or features
  std::vector<at::Tensor> hidden;     // [R, D] for each layer: its input
  std::vector<at::Tensor> attention;  // [sum of H*t_b*t_b] for each layer: head x query x key
};

// `file`: "vectors.safetensors", or "text_vectors.safetensors" of a two-sided case.  Ends the test
// program when the file is damaged.
EncoderVectors ReadVectors(const std::string& name, const std::string& file);

// What a network of one member computes of an input.  With gradients off and no attention asked
// for, the fused attention kernel.
EncoderVectors Observe(const nn::Network& network, const nn::Input& input);
EncoderVectors ObserveWithAttention(const nn::Network& network, const nn::Input& input);

// Largest |got - want| / largest |want|; infinite when the shapes differ.
double RelativeDifference(const at::Tensor& got, const at::Tensor& want);

}  // namespace hydra::testing
