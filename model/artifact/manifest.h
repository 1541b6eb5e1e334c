// manifest.json of a bundle, format version 1: what the network is and where it came from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hydra::artifact {

inline constexpr int kFormatVersion = 1;

// The encoder's fixed sizes.  Letters as everywhere: D width, H heads, C classes.  A field of the
// other modality is 0 and absent from the file.
struct Geometry {
  size_t layers = 0;
  size_t width = 0;       // D
  size_t heads = 0;       // H of the base; a member keeps a subset
  size_t head_width = 0;  // d_h; the base has H * d_h query features
  size_t mlp_width = 0;
  size_t classes = 0;      // C
  std::string activation;  // "gelu" (erf), "gelu_tanh", "quick_gelu", "relu" or "swiglu"
  double layer_norm_epsilon = 0.0;
  bool qkv_bias = true;
  bool layer_scale = false;     // each block's two outputs are scaled per feature (DINOv2)
  size_t register_tokens = 0;   // extra tokens after CLS (DINOv2)
  size_t projection_width = 0;  // zero-shot families: width of the joint space, else 0
  // Optional in the file; the defaults are ViT's.
  bool norm_first = true;       // LayerNorm before each block (ViT) or after its sum (BERT)
  bool embedding_norm = false;  // LayerNorm of the embeddings (BERT, CLIP)
  std::string pooler = "none";  // a D x D layer after pooling: "none", "tanh" or "relu"
  // Images.
  size_t image_height = 0;
  size_t image_width = 0;
  size_t channels = 0;
  size_t patch_size = 0;
  // Text.
  size_t vocabulary = 0;
  size_t max_positions = 0;
  size_t token_types = 0;

  bool operator==(const Geometry&) const = default;
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
  bool shared_qkv = false;   // q/k/v once over the union of the streams' heads; only the output
                             // projections differ.  Only in a layer whose input is one stream.
};

enum class MemberMode {
  kFull,    // every member (or stream) computes all tokens
  kReader,  // members are CLS streams that read the trunk's keys and values
};

// Present with MemberMode::kReader.  The trunk computes the other tokens in every layer with
// `trunk_heads`; from `first_layer` on each stream of LayerPlan is a reader.
struct ReaderPlan {
  size_t first_layer = 0;
  size_t query_rows = 1;         // CLS, or CLS and the distillation token
  std::string mlp = "tied";      // "tied" to the trunk's, "low_rank" difference to it, or "own"
  size_t mlp_rank = 0;           // of "low_rank"
  bool own_keys_values = false;  // k/v of the reader's own token: its own projections or the base's
  std::vector<std::vector<size_t>> trunk_heads;  // one per layer, ascending
};

// Present with novelty.safetensors: distance of trunk features to the training data.
struct NoveltyPlan {
  std::string method;     // "mahalanobis", "relative_mahalanobis" or "knn"
  size_t layer = 0;       // features after this layer; `layers` means after the last LayerNorm
  std::string token;      // "cls" or "mean"
  size_t neighbours = 0;  // of "knn"
};

struct Provenance {
  std::string base_digest;                          // sha256 of the imported model.safetensors
  std::map<std::string, std::string> data_digests;  // split name -> sha256
  std::string recipe;                               // the recipe's text
  uint64_t seed = 0;
  std::string tool_version;
  std::string created;  // RFC 3339, UTC; certificates age from here; may be empty
  std::map<std::string, std::string> choices;  // recorded options where the sources are silent
};

struct Manifest {
  int format_version = kFormatVersion;
  std::string name;    // [a-z0-9][a-z0-9._-]{0,62}
  std::string family;  // a name of IsImageFamily or IsTextFamily below
  Geometry geometry;
  size_t members = 0;  // M
  MemberMode member_mode = MemberMode::kFull;
  size_t branch_layer = 0;        // first layer in which streams differ; layers if they never do
  std::vector<LayerPlan> layers;  // one per layer
  bool shared_classifier =
      false;  // one classifier (with the last LayerNorm) for all members, or one each
  std::string pooling = "cls";    // "cls", "mean", "cls_mean" or "cls_distillation"
  std::string dtype = "float32";  // of weights.safetensors; or "bfloat16", "float16"
  std::optional<ReaderPlan> reader;
  std::optional<NoveltyPlan> novelty;
  Provenance provenance;
};

// Families of format version 1; a program serves a subset of them.
inline bool IsImageFamily(const std::string& family) {
  return family == "vit" || family == "deit" || family == "dinov2" || family == "clip" ||
         family == "vision_text_dual_encoder";
}
inline bool IsTextFamily(const std::string& family) {
  return family == "bert" || family == "distilbert" || family == "roberta";
}

}  // namespace hydra::artifact
