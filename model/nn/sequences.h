// Which rows of a packed activation [S, R, D] belong to which input, and how attention sees them.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace hydra::nn {

// Inputs of similar length that attention computes together, padded to `tokens`.
struct SequenceGroup {
  std::vector<int64_t> inputs;  // their indices, n of them
  int64_t tokens = 0;           // of the longest
  at::Tensor gather;            // int64 [n*tokens]: row of each place; undefined: the rows in order
  at::Tensor real;              // int64: places that are no padding; undefined: all
  at::Tensor mask;              // float32 [n, 1, 1, tokens]: 0 or -inf; undefined: no padding
};

struct Sequences {
  int64_t batch = 0;  // B
  int64_t rows = 0;   // R
  std::vector<int64_t> lengths;
  at::Tensor first_row;  // int64 [B]
  std::vector<SequenceGroup> groups;
  at::Tensor restore;  // int64 [R]: from the groups' order to the packed one; undefined: the same
};

// Linear layers run on packed rows, without padding; only attention pads, within groups in which
// the longest input has at most 1.5 times the tokens of the shortest (or 8 more).
Sequences LayOut(const std::vector<int64_t>& lengths);

// The input of each row: int64 [R].
at::Tensor RowInputs(const Sequences& sequences);

// The place of each row within its input, from 0: int64 [R].
at::Tensor RowPlaces(const Sequences& sequences);

}  // namespace hydra::nn
