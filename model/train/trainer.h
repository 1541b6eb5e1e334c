// Training and tuning of a network of any number of members.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "model/base/clock.h"
#include "model/nn/network.h"
#include "model/nn/pass/forward.h"
#include "model/train/example_set.h"
#include "model/train/schedule.h"

namespace hydra::train {

// Lets a learner of its own take part in every step of a run: a soft choice of heads, a teacher.
// What the functions refer to must outlive the run.  They may throw c10::Error.
struct StepHooks {
  std::string name;  // what they are, for the state file
  // Before the forward pass; may set the tap and observers of it.  Empty: nothing.
  std::function<void(size_t step, nn::ForwardOptions& forward)> prepare;
  // Instead of the cross-entropy, after the pass of `inputs`.  Empty: the cross-entropy.
  std::function<at::Tensor(const nn::Input& inputs)> loss;
  // When the gradients of the step are there.  Empty: nothing.
  std::function<void(size_t step)> learn;
  // float32, saved with the run's state and restored in place.
  std::vector<std::pair<std::string, at::Tensor>> state;
};

struct TrainOptions {
  size_t steps = 0;
  size_t batch = 256;
  double learning_rate = 1e-3;
  double head_learning_rate = 0.0;  // of the classifier; 0: as the rest
  size_t warmup_steps = 0;
  Decay decay = Decay::kCosine;
  double weight_decay = 0.05;  // of matrices; not of biases, norms and embedding tables
  double clip_norm = 1.0;      // of the whole gradient
  double label_smoothing = 0.0;
  double dropout = 0.0;
  std::vector<std::string> frozen;  // parameters that keep their values, by the start of their name
  bool frozen_trunk = false;        // of readers, with every parameter of the trunk among `frozen`
  // Beside the labels, each 0 for not at all.  Proxies are made from every batch (proxies.h).
  double diversity = 0.0;     // weight of the members' mutual information on proxies, maximised
  double exposure = 0.0;      // weight of the cross-entropy to uniform on proxies
  double distillation = 0.0;  // weight of KL(teacher m || member m)
  std::vector<nn::Network> teachers;  // their members, in order, teach the network's
  Augmentation augmentation;
  bool bfloat16 = false;   // matrix products in bfloat16, everything else in float32
  bool bootstrap = false;  // every member weighs every example by its own Poisson(1) draw
  uint64_t seed = 0;
  std::string state_path;  // where the run can be picked up again; empty: nowhere
  size_t save_every_steps = 200;
  StepHooks hooks;
};

struct TrainProgress {
  size_t step = 0;  // steps done
  size_t steps = 0;
  double loss = 0.0;  // of this step
  double learning_rate = 0.0;
  absl::Duration elapsed;    // of this process
  absl::Duration remaining;  // estimate from this process's steps
};

// Called after every step.
using ProgressCallback = std::function<void(const TrainProgress&)>;

// AdamW (Loshchilov & Hutter 2019) with linear warm-up and decay to 0, on the mean over members
// of the (weighted) cross-entropy.  Changes the parameters of
// `network` in place: pass a Clone if its tensors are shared.  The result depends on the options
// and the data only: a run that was killed and picked up from `state_path` gives the same numbers
// as one that was not, since every step derives its random numbers from the seed and its own index.
// Not thread-safe; uses the calling thread's LibTorch threads. Errors: INVALID_ARGUMENT options or
// data that make no sense; FAILED_PRECONDITION a state file of another run (names what differs);
// ABORTED the loss is not finite (names the step); INTERNAL LibTorch's or the system's message.
absl::Status Train(const ExampleSet& data, const TrainOptions& options, const base::Clock& clock,
                   const ProgressCallback& progress, nn::Network& network);

struct NewClassifier {
  size_t classes = 0;
  std::string pooler;            // as Geometry::pooler; drawn anew where the network has none
  bool identity_pooler = false;  // the classifier starts from CLS itself, not from what a pooler
                                 // was trained (or never trained) for
  uint64_t seed = 0;
};

// Replaces the classifier of a network of one member by one with freshly drawn parameters.
void AddClassifier(const NewClassifier& wanted, nn::Network& network);

// A ViT with freshly drawn parameters of everything that `geometry` asks for: embeddings normal
// with stddev 0.02, matrices with stddev 1/sqrt(3 * inputs), both truncated at two stddevs; biases
// 0, norm weights 1.
nn::Network RandomNetwork(const artifact::Geometry& geometry, size_t prefix_tokens, uint64_t seed);

}  // namespace hydra::train
