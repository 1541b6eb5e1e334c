// The golden cases as metrics take them.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/golden/uncertainty_golden.h"

namespace hydra::metrics {

// The mean probabilities in the arithmetic of the generating script: decimals of six digits, so
// that the same rows tie.
struct GoldenRows {
  std::vector<float> mean_probs;   // [B, C]
  std::vector<double> confidence;  // [B]
  std::vector<bool> correct;       // [B]
};

inline GoldenRows RowsOf(const golden::UncertaintyCase& golden) {
  const size_t classes = golden.shape.classes();
  const double members = static_cast<double>(golden.shape.members());
  GoldenRows rows;
  for (size_t b = 0; b < golden.shape.batch(); ++b) {
    std::vector<double> mean(classes, 0.0);
    for (size_t m = 0; m < golden.shape.members(); ++m) {
      for (size_t c = 0; c < classes; ++c) {
        const double p = golden.probs[golden.shape.RowOffset(m, b) + c];
        mean[c] += std::round(p * 1e6) / 1e6;
      }
    }
    for (double& p : mean) rows.mean_probs.push_back(static_cast<float>(p /= members));
    const auto top = std::max_element(mean.begin(), mean.end());
    rows.confidence.push_back(*top);
    rows.correct.push_back(static_cast<size_t>(top - mean.begin()) == golden.labels[b]);
  }
  return rows;
}

}  // namespace hydra::metrics
