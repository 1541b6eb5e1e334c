// calibration.json of a bundle: what its numbers may claim, and on which data.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hydra::artifact {

// One declared cut of a score: rows with score <= threshold are accepted.
struct CertificateCut {
  double threshold = 0.0;
  size_t accepted = 0;  // rows of the certify split at or below the threshold
  size_t errors = 0;    // wrong ones among them
};

// One rule of a joint path: accepting at cut i means score <= thresholds[i] for every rule.
struct PathRule {
  std::string score;
  std::vector<double> thresholds;  // one per cut, ascending or equal
};

// Counts on the certify split at a grid of cuts that was declared on the path split, before certify
// was looked at. A bound that holds for all cuts at once follows from them
// (model/uncertainty/certificate.h).
struct CertificateTable {
  std::string dtype;       // numerics that made the scores: "float32" or "bfloat16"
  std::string score;       // a ScoreName of model/uncertainty/scores.h, "novelty" or "joint_path"
  std::string score_made;  // how it was made: "mutual_information@T=1.07,M=3"
  size_t n = 0;            // rows of the certify split
  double delta = 0.05;     // default confidence is 1 - delta
  std::string population;  // which data the certificate speaks of
  std::vector<CertificateCut> cuts;  // ascending thresholds
  std::vector<PathRule> rules;       // of "joint_path", whose cut thresholds are path positions
  std::vector<size_t> classes;       // predicted classes it is limited to; empty: all
};

// Marginal split-conformal quantile: the set holds every class whose score is at most `quantile`.
struct ConformalQuantile {
  std::string method;  // "lac" (1 - p_y) or "aps" (u = 0)
  double alpha = 0.1;  // wanted miscoverage
  double quantile = 0.0;
  size_t n = 0;                   // rows of the conformal split
  std::string dtype = "float32";  // numerics that made the scores
};

// Reference distribution of a score on in-distribution data, in quantile-index bins.
struct ReferenceHistogram {
  std::vector<double>
      edges;  // ascending inner edges; bins = edges + 1, bin i holds score <= edges[i]
  std::vector<size_t> counts;  // edges.size() + 1
};

struct Split {
  size_t n = 0;
  std::string digest;  // sha256 over the sorted item digests
};

struct Calibration {
  double temperature = 1.0;   // divides the member logits, before averaging
  std::string default_score;  // used by a new policy
  std::map<std::string, Split>
      splits;  // fit, path, certify, conformal; select, train, test if used
  std::vector<CertificateTable> certificates;
  std::vector<ConformalQuantile> conformal;
  std::map<std::string, ReferenceHistogram> reference_histograms;  // by score name
  std::map<std::string, double>
      batch_tolerance;  // by dtype: largest score change over batch shapes
};

}  // namespace hydra::artifact
