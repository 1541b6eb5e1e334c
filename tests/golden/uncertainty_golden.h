// Reads tests/golden/uncertainty.json: member probabilities with reference values of every
// uncertainty metric.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/uncertainty/ensemble_shape.h"

namespace hydra::golden {

struct UncertaintyCase {
  std::string name;
  uncertainty::EnsembleShape shape;
  std::vector<float> probs;                 // [M, B, C]
  std::vector<size_t> labels;               // [B]
  std::vector<double> ood_confidence;       // maximum probability of out-of-distribution rows
  std::map<std::string, double> reference;  // float64 values of the generating script
  std::map<std::string, double>
      libraries;                     // torchmetrics, torch-uncertainty, scikit-learn, MAPIE, ...
  std::vector<double> head_entropy;  // of the first rows
  std::vector<double> head_confidence;
  double alpha = 0.0;  // conformal level of the references
};

// Ends the test program with a message when the file is missing or malformed.
std::vector<UncertaintyCase> LoadUncertaintyCases();

}  // namespace hydra::golden
