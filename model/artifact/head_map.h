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

// kept[l][m] are the heads of the base that member m keeps in layer l: ascending, possibly none.
struct HeadMap {
  size_t layers = 0;
  size_t members = 0;
  size_t heads = 0;                                    // H of the base
  std::vector<std::vector<std::vector<size_t>>> kept;  // [layers][members][...]
  std::vector<HeadImportance> importance;
  std::vector<std::vector<size_t>> clusters;  // [layers][heads]; empty: not computed
  std::vector<std::vector<double>> overlap;   // [members][members], MemberOverlap(kept)
  HeadMapProvenance provenance;
};

}  // namespace hydra::artifact
