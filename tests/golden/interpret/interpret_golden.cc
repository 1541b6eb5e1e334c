#include "tests/golden/interpret/interpret_golden.h"

#include <cstdlib>
#include <fstream>
#include <iostream>

#include "nlohmann/json.hpp"

namespace hydra::golden {
namespace {

nlohmann::json Document() {
  std::ifstream file(std::string(HYDRA_SOURCE_DIR) + "/tests/golden/interpret/vectors.json");
  if (!file) {
    std::cerr << "tests/golden/interpret/vectors.json cannot be opened\n";
    std::exit(1);
  }
  return nlohmann::json::parse(file);
}

}  // namespace

std::vector<MapCase> LoadMapCases() {
  std::vector<MapCase> cases;
  const nlohmann::json document = Document();
  for (const auto& entry : document.at("maps")) {
    cases.push_back({.name = entry.at("name"),
                     .tokens = entry.at("tokens"),
                     .attention = entry.at("attention").get<std::vector<float>>(),
                     .eigenvalues = entry.at("eigenvalues").get<std::vector<double>>(),
                     .coordinates = entry.at("coordinates").get<std::vector<double>>(),
                     .degenerate = entry.at("degenerate").get<std::vector<bool>>()});
  }
  return cases;
}

std::vector<ClusterCase> LoadClusterCases() {
  std::vector<ClusterCase> cases;
  const nlohmann::json document = Document();
  for (const auto& entry : document.at("clusterings")) {
    cases.push_back({.name = entry.at("name"),
                     .features = entry.at("features").get<std::vector<double>>(),
                     .layers = entry.at("layers"),
                     .heads = entry.at("heads"),
                     .clusters = entry.at("clusters"),
                     .affinity = entry.at("affinity"),
                     .labels = entry.at("labels").get<std::vector<size_t>>(),
                     .representatives = entry.at("representatives").get<std::vector<size_t>>(),
                     .davies_bouldin = entry.at("davies_bouldin"),
                     .silhouette = entry.at("silhouette")});
  }
  return cases;
}

}  // namespace hydra::golden
