// headmap.json of a bundle: which heads each member kept, and why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hydra::artifact {

// Scores of all heads of the base by one method; larger is more important within a method.
struct HeadImportance {
  std::string method;                       // "taylor", "circuit", ...
  std::optional<size_t> member;             // unset: one table for all members
  std::vector<std::vector<double>> values;  // [layers][heads]
};

struct HeadMapProvenance {
  std::string selection;    // how heads were chosen: "taylor", "random", "all"
  std::string data_digest;  // of the split the scores were made on; may be empty
  uint64_t seed = 0;
  std::map<std::string, std::string> choices;  // recorded options where the sources are silent
};

struct HeadPlace {
  size_t layer = 0;
  size_t head = 0;

  bool operator==(const HeadPlace&) const = default;
};

// How HeadMap::clusters were made.
struct HeadClustering {
  std::vector<HeadPlace> representatives;  // of cluster 0, 1, ...: the head nearest to its centre
  double davies_bouldin = 0.0;
  double silhouette = 0.0;
  size_t inputs = 0;
  std::string affinity;  // "shifted" or "positive"
};

// What the base loses on `inputs` rows of the select split when one head is zeroed.
struct HeadEffects {
  size_t inputs = 0;
  double nll_nats = 0.0;  // of the base with all heads
  double accuracy = 0.0;
  std::vector<std::vector<double>> nll_change_nats;  // [layers][heads], without minus with the head
  std::vector<std::vector<double>> accuracy_change;  // [layers][heads]
};

// kept[l][m] are the heads of the base that member m keeps in layer l: ascending, possibly none.
struct HeadMap {
  size_t layers = 0;
  size_t members = 0;
  size_t heads = 0;                                    // H of the base
  std::vector<std::vector<std::vector<size_t>>> kept;  // [layers][members][...]
  std::vector<HeadImportance> importance;
  std::vector<std::vector<size_t>> clusters;  // [layers][heads]; empty: not computed
  std::optional<HeadClustering> clustering;   // with clusters only
  std::optional<HeadEffects> effects;
  std::vector<std::vector<double>> overlap;  // [members][members], MemberOverlap(kept)
  HeadMapProvenance provenance;
};

}  // namespace hydra::artifact
