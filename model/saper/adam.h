// Adam without weight decay for the few parameters that learn beside the network.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace hydra::saper {

// Kingma & Ba 2015 with betas 0.9 and 0.999 and epsilon 1e-8.  Everything it knows is in plain
// tensors, so that a run's state file can hold it.  Not thread-safe.
class Adam {
 public:
  using Named = std::vector<std::pair<std::string, at::Tensor>>;

  // float32 leaves, which it refers to.
  explicit Adam(Named parameters);

  // Updates by the parameters' gradients and clears them.  Steps count from 0.
  void Step(double rate, size_t step);

  // Parameters and moments.
  Named State() const;

 private:
  Named parameters_, first_, second_;
};

}  // namespace hydra::saper
