// What training reports while it runs: one point per epoch, kept over an interruption.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "nlohmann/json_fwd.hpp"

namespace hydra::builder {

struct CurvePoint {
  size_t step = 0;
  double train_loss = 0.0;  // mean over the steps since the point before
  double held_out_loss = 0.0;
  double held_out_accuracy = 0.0;
  double learning_rate = 0.0;
};

// Lives in a file beside the training state.  Not thread-safe.
class LearningCurve {
 public:
  // An empty `path` keeps nothing.  Errors: FAILED_PRECONDITION a file that is not a curve.
  static absl::StatusOr<LearningCurve> Open(std::string path);

  // Drops points that a run going on at `step` will measure again.
  void RewindTo(size_t step);

  // Errors: as WriteFileAtomically.
  absl::Status Add(const CurvePoint& point);

  const std::vector<CurvePoint>& points() const { return points_; }
  nlohmann::ordered_json ToJson() const;

 private:
  explicit LearningCurve(std::string path) : path_(std::move(path)) {}

  std::string path_;
  std::vector<CurvePoint> points_;
};

}  // namespace hydra::builder
