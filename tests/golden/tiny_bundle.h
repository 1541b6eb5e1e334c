// A bundle of a few kilobytes with every part that format version 1 has for images: two layers,
// three members in two streams, unequal and zero heads, novelty, a policy and a report.  Its
// weights are random, its golden answers those of reference_vit.h.
#pragma once

#include "model/artifact/bundle_writer.h"

namespace hydra::golden {

artifact::BundleContents TinyBundle();

}  // namespace hydra::golden
