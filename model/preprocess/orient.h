// Turns a decoded image upright.
#pragma once

#include "model/preprocess/metadata/exif.h"
#include "model/preprocess/raster.h"

namespace hydra::preprocess {

// Height and width change places for the four orientations that turn by a right angle.
// Thread-safe.
Raster Upright(Raster image, metadata::Orientation orientation);

}  // namespace hydra::preprocess
