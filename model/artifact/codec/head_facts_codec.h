// Clusters and effects of heads in JSON, as headmap.json and the builder's interpret.json have
// them.
#pragma once

#include <cstddef>
#include <vector>

#include "model/artifact/codec/json_reader.h"
#include "model/artifact/head_map.h"
#include "nlohmann/json_fwd.hpp"

namespace hydra::artifact::codec {

struct HeadTableShape {
  size_t layers = 0;
  size_t heads = 0;
};

// Errors of all are recorded in the document: wrong sizes, numbers out of range; a cluster whose
// representative is missing or of another cluster.
std::vector<std::vector<size_t>> ReadClusters(const JsonNode& node, HeadTableShape shape);
HeadClustering ReadClustering(const JsonNode& node,
                              const std::vector<std::vector<size_t>>& clusters);
HeadEffects ReadEffects(const JsonNode& node, HeadTableShape shape);

nlohmann::ordered_json ClusteringJson(const HeadClustering& clustering);
nlohmann::ordered_json EffectsJson(const HeadEffects& effects);

}  // namespace hydra::artifact::codec
