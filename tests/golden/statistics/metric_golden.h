// Reads tests/golden/statistics/metrics.json: rows on bin edges and with ties, and what libraries
// make of them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/uncertainty/scores.h"

namespace hydra::golden {

struct MetricCase {
  std::string name;
  std::vector<double> confidence;  // float32 values
  std::vector<bool> correct;
  std::vector<uncertainty::ScoredRow> scored;
  std::vector<double> scores;  // of `scored`
  std::vector<double> ood_scores;
  double fd_shifts_aurc = 0.0;
  std::map<std::string, double> calibration;
  std::map<std::string, double> detection;
};

// Ends the test program with a message when the file is missing or malformed.
std::vector<MetricCase> LoadMetricCases();

}  // namespace hydra::golden
