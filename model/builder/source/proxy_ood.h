// Inputs that are out of distribution by construction, for choices that must not look at test data.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/builder/source/labelled_data.h"

namespace hydra::builder {

// One proxy per image of `data`, in turn: its patches shuffled; an even mix with another image;
// turned by a quarter (a half if not square) with inverted pixels.  One per text: its tokens
// shuffled; its first half with the second of another text; each token replaced by one of another
// text.  Drawn with `seed`; no labels.
LabelledData MakeProxyOod(const LabelledData& data, size_t patch_size, uint64_t seed);

}  // namespace hydra::builder
