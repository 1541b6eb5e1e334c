// manifest.json of a bundle, format version 1: what the network is and where it came from.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace hydra::artifact {

inline constexpr int kFormatVersion = 1;

// The encoder's fixed sizes.  Letters as everywhere: D width, H heads, C classes.
struct Geometry {
  size_t layers = 0;
  size_t width = 0;       // D
  size_t heads = 0;       // H of the base; a member keeps a subset
  size_t head_width = 0;  // d_h; the base has H * d_h query features
  size_t mlp_width = 0;
  size_t classes = 0;      // C
  std::string activation;  // "gelu" (erf), "gelu_tanh", "quick_gelu" or "relu"
  double layer_norm_epsilon = 0.0;
  // Images.
  size_t image_height = 0;
  size_t image_width = 0;
  size_t channels = 0;
  size_t patch_size = 0;
};

// Who computes what in one layer.  A stream is a group of members whose parameters and input agree,
// so that their activations are computed once.  `streams[s]` lists the members of stream s;
// together they are a partition of 0..M-1 that refines the partition of the layer before.
// `heads[s]` are the kept heads of the base, ascending, possibly none and possibly of different
// number in each stream.
struct LayerPlan {
  std::vector<std::vector<size_t>> streams;
  std::vector<std::vector<size_t>> heads;
  bool shared_mlp = true;    // one MLP for all streams, or one per stream
  bool shared_norms = true;  // one pair of LayerNorms for all streams, or one pair per stream
};

enum class MemberMode {
  kFull,    // every member (or stream) computes all tokens
  kReader,  // members are CLS streams that read the trunk's keys and values; reserved in version 1
};

struct Provenance {
  std::string base_digest;                          // sha256 of the imported model.safetensors
  std::map<std::string, std::string> data_digests;  // split name -> sha256
  std::string recipe;                               // the recipe's text
  uint64_t seed = 0;
  std::string tool_version;
  std::map<std::string, std::string> choices;  // recorded options where the sources are silent
};

struct Manifest {
  int format_version = kFormatVersion;
  std::string name;    // [a-z0-9][a-z0-9._-]{0,62}
  std::string family;  // "vit", "deit"
  Geometry geometry;
  size_t members = 0;  // M
  MemberMode member_mode = MemberMode::kFull;
  size_t branch_layer = 0;        // first layer in which streams differ; layers if they never do
  std::vector<LayerPlan> layers;  // one per layer
  bool shared_classifier =
      false;  // one classifier (with the last LayerNorm) for all members, or one each
  std::string pooling = "cls";
  std::string dtype = "float32";  // of weights.safetensors
  Provenance provenance;
};

}  // namespace hydra::artifact
