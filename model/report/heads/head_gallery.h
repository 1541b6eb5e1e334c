// Laplace maps of some heads for some inputs, as the report shows them.
#pragma once

#include <string>
#include <vector>

#include "model/artifact/head_map.h"

namespace hydra::report {

struct GalleryRow {
  std::string name;               // what the input is
  std::string picture;            // PNG; empty for texts
  std::vector<std::string> maps;  // PNG, one for each head
};

struct HeadGallery {
  std::vector<artifact::HeadPlace> heads;
  std::vector<GalleryRow> rows;
};

}  // namespace hydra::report
