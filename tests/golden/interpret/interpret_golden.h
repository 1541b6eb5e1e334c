// Reads tests/golden/interpret/vectors.json: Laplace maps by numpy, head clusters by scikit-learn.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace hydra::golden {

struct MapCase {
  std::string name;
  size_t tokens = 0;
  std::vector<float> attention;     // [T, T]
  std::vector<double> eigenvalues;  // the five smallest, four of four tokens
  std::vector<double> coordinates;  // [T, 3]
  std::vector<bool> degenerate;     // [3]
};

struct ClusterCase {
  std::string name;
  std::vector<double> features;  // [n, layers * heads]
  size_t layers = 0;
  size_t heads = 0;
  size_t clusters = 0;
  std::string affinity;
  std::vector<size_t> labels;           // [layers * heads], numbered by their first head
  std::vector<size_t> representatives;  // [clusters], layer * heads + head
  double davies_bouldin = 0.0;
  double silhouette = 0.0;
};

// They end the test program with a message when the file is missing or malformed.
std::vector<MapCase> LoadMapCases();
std::vector<ClusterCase> LoadClusterCases();

}  // namespace hydra::golden
