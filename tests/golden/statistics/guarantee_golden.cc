#include "tests/golden/statistics/guarantee_golden.h"

#include <cstdlib>
#include <fstream>
#include <iostream>

namespace hydra::golden {

nlohmann::json LoadGuarantees() {
  std::ifstream file(std::string(HYDRA_SOURCE_DIR) + "/tests/golden/statistics/guarantees.json");
  nlohmann::json document = nlohmann::json::parse(file, nullptr, false);
  if (!document.is_object()) {
    std::cerr << "tests/golden/statistics/guarantees.json cannot be read\n";
    std::exit(1);
  }
  return document;
}

std::vector<uncertainty::ScoredRow> RowsOf(const nlohmann::json& selection) {
  std::vector<uncertainty::ScoredRow> rows;
  for (size_t i = 0; i < selection.at("score").size(); ++i) {
    rows.push_back({.score = selection["score"][i].get<double>(),
                    .correct = selection["wrong"][i].get<int>() == 0});
  }
  return rows;
}

}  // namespace hydra::golden
