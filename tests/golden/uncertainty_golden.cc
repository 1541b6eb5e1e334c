#include "tests/golden/uncertainty_golden.h"

#include <cstdlib>
#include <fstream>
#include <iostream>

#include "nlohmann/json.hpp"

namespace hydra::golden {
namespace {

std::map<std::string, double> Numbers(const nlohmann::json& object) {
  std::map<std::string, double> numbers;
  for (const auto& [key, value] : object.items()) {
    if (value.is_number()) numbers[key] = value.get<double>();
  }
  return numbers;
}

UncertaintyCase ReadCase(const nlohmann::json& entry, double alpha) {
  const auto& members = entry.at("probs");
  const auto shape = uncertainty::EnsembleShape::Create(members.size(), members.at(0).size(),
                                                        members.at(0).at(0).size());
  UncertaintyCase golden{
      .name = entry.at("case").at("name"), .shape = shape.value(), .alpha = alpha};
  for (const auto& member : members) {
    for (const auto& row : member) {
      for (const auto& p : row) golden.probs.push_back(p.get<float>());
    }
  }
  golden.labels = entry.at("labels").get<std::vector<size_t>>();
  golden.ood_confidence = entry.at("ood_msp").get<std::vector<double>>();
  golden.reference = Numbers(entry.at("ref"));
  golden.libraries = Numbers(entry.at("libs"));
  golden.head_entropy =
      entry.at("ref").at("per_sample_head").at("entropy").get<std::vector<double>>();
  golden.head_confidence =
      entry.at("ref").at("per_sample_head").at("conf").get<std::vector<double>>();
  return golden;
}

}  // namespace

std::vector<UncertaintyCase> LoadUncertaintyCases() {
  std::ifstream file(std::string(HYDRA_SOURCE_DIR) + "/tests/golden/uncertainty.json");
  if (!file) {
    std::cerr << "tests/golden/uncertainty.json cannot be opened\n";
    std::exit(1);
  }
  const nlohmann::json document = nlohmann::json::parse(file);
  std::vector<UncertaintyCase> cases;
  for (const auto& entry : document.at("cases"))
    cases.push_back(ReadCase(entry, document.at("alpha")));
  return cases;
}

}  // namespace hydra::golden
