// The rules that hold between the layers of a manifest.
#pragma once

#include <cstddef>
#include <vector>

#include "model/artifact/codec/json_reader.h"
#include "model/artifact/manifest.h"

namespace hydra::artifact::codec {

// Records an error at the first entry that is not above the one before it.
void CheckAscending(const JsonNode& node, const std::vector<size_t>& values);

// For the arrays `layers` and `branch_layer` that `manifest` was read from: streams partition
// 0..M-1 and refine the layer before, branch_layer is the first layer with more than one stream
// (the number of layers if none has), and shared_qkv stands only where the layer's input is one
// stream.
void CheckLayers(const JsonNode& layers, const JsonNode& branch_layer, const Manifest& manifest);

}  // namespace hydra::artifact::codec
