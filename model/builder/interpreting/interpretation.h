// interpret.json: clusters and effects of the base's heads, and which maps lie beside it.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/artifact/head_map.h"

namespace hydra::builder {

// Laplace maps of some heads for some inputs.  Files: input-<i>.png (of images) and
// map-<i>-<j>.png of input i and head j.
struct Gallery {
  std::vector<artifact::HeadPlace> heads;
  std::vector<std::string> inputs;  // what each is: the name of its class
  bool pictures = false;            // input-<i>.png are there
};

struct Interpretation {
  size_t layers = 0;
  size_t heads = 0;
  std::vector<std::vector<size_t>> clusters;  // [layers][heads]
  artifact::HeadClustering clustering;
  std::optional<artifact::HeadEffects> effects;
  std::map<std::string, std::string> choices;  // recorded options where the sources are silent
  Gallery gallery;
};

inline constexpr char kInterpretFile[] = "interpret.json";

std::string EncodeInterpretation(const Interpretation& interpretation);

// Errors: INVALID_ARGUMENT, naming the field.
absl::StatusOr<Interpretation> ParseInterpretation(absl::string_view text);

// Reads `directory`/interpret.json.  Errors: as ReadFile and ParseInterpretation.
absl::StatusOr<Interpretation> ReadInterpretation(const std::string& directory);

// Puts clusters, effects and choices into a bundle's head map.  Errors: FAILED_PRECONDITION one of
// another base: other layers or heads.
absl::Status AddToHeadMap(const Interpretation& interpretation, artifact::HeadMap& map);

// Names of the gallery's files.
std::string PictureFile(size_t input);
std::string MapFile(size_t input, size_t head);

}  // namespace hydra::builder
