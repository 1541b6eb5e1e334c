#include "tests/golden/statistics/metric_golden.h"

#include <cstdlib>
#include <fstream>
#include <iostream>

#include "nlohmann/json.hpp"

namespace hydra::golden {
namespace {

MetricCase ReadCase(const nlohmann::json& entry) {
  MetricCase golden{.name = entry.at("name"),
                    .confidence = entry.at("confidence"),
                    .scores = entry.at("score"),
                    .ood_scores = entry.at("ood_score"),
                    .fd_shifts_aurc = entry.at("fd_shifts_aurc"),
                    .calibration = entry.at("calibration"),
                    .detection = entry.at("detection")};
  for (const int correct : entry.at("correct")) {
    golden.scored.push_back({golden.scores[golden.correct.size()], correct != 0});
    golden.correct.push_back(correct != 0);
  }
  return golden;
}

}  // namespace

std::vector<MetricCase> LoadMetricCases() {
  std::ifstream file(std::string(HYDRA_SOURCE_DIR) + "/tests/golden/statistics/metrics.json");
  const nlohmann::json document = nlohmann::json::parse(file, nullptr, false);
  if (!document.is_object()) {
    std::cerr << "tests/golden/statistics/metrics.json cannot be read\n";
    std::exit(1);
  }
  std::vector<MetricCase> cases;
  for (const auto& entry : document.at("cases")) cases.push_back(ReadCase(entry));
  return cases;
}

}  // namespace hydra::golden
