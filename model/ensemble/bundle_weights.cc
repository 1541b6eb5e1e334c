#include "model/ensemble/bundle_weights.h"

#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "model/ensemble/merge.h"
#include "model/nn/catch_torch.h"
#include "model/nn/tensor_convert.h"

namespace hydra::ensemble {
namespace {

using nn::LayerWeights;
using nn::Network;
using Shape = std::vector<int64_t>;

// One parameter that is stored once or once per group.
struct Part {
  std::string name;  // of the parameter in each group, or of the shared one
  at::Tensor* tensor;
  Shape shape;  // without the group dimension
  size_t groups;
  std::string shared;   // name prefix of a part that all groups share; unused when `grouped` is set
  std::string grouped;  // name prefix before "<group>."; empty: shared

  std::string NameOf(size_t group) const {
    return grouped.empty() ? shared + name : absl::StrCat(grouped, group, ".", name);
  }
};

std::vector<Part> LayerParts(Network& network, size_t l) {
  LayerWeights& layer = network.weights.layers[l];
  const artifact::LayerPlan& plan = network.plan[l];
  const auto width = static_cast<int64_t>(network.geometry.width);
  const auto mlp = static_cast<int64_t>(network.geometry.mlp_width);
  const auto hidden = static_cast<int64_t>(nn::HiddenRows(network.geometry));
  const std::string shared = absl::StrCat("layers.", l, "."), stream = shared + "stream.";
  const size_t norms = plan.shared_norms ? 1 : plan.streams.size();
  const size_t mlps = plan.shared_mlp ? 1 : plan.streams.size();
  const std::string norm_stream = plan.shared_norms ? "" : stream,
                    mlp_stream = plan.shared_mlp ? "" : stream;
  return {{"norm1.weight", &layer.norm1_weight, {width}, norms, shared, norm_stream},
          {"norm1.bias", &layer.norm1_bias, {width}, norms, shared, norm_stream},
          {"norm2.weight", &layer.norm2_weight, {width}, norms, shared, norm_stream},
          {"norm2.bias", &layer.norm2_bias, {width}, norms, shared, norm_stream},
          {"fc1.weight", &layer.fc1_weight, {hidden, width}, mlps, shared, mlp_stream},
          {"fc1.bias", &layer.fc1_bias, {hidden}, mlps, shared, mlp_stream},
          {"fc2.weight", &layer.fc2_weight, {width, mlp}, mlps, shared, mlp_stream},
          {"fc2.bias", &layer.fc2_bias, {width}, mlps, shared, mlp_stream},
          {"out.bias", &layer.out_bias, {width}, plan.streams.size(), shared, stream}};
}

std::vector<Part> HeadParts(Network& network) {
  const size_t groups = network.shared_classifier ? 1 : network.members;
  const std::string member = network.shared_classifier ? "" : "member.";
  std::vector<Part> parts;
  for (const nn::Parameter& parameter : nn::HeadParameters(network))
    parts.push_back({parameter.name, parameter.tensor, parameter.shape, groups, "", member});
  return parts;
}

// Kept heads of stream s out of the padded tensors.
struct StreamAttention {
  at::Tensor qkv_weight, qkv_bias, out_weight;
};

StreamAttention SliceStream(const Network& network, size_t l, size_t s) {
  const LayerWeights& layer = network.weights.layers[l];
  const auto padded = static_cast<int64_t>(nn::PaddedHeads(network.plan[l]));
  const auto kept = static_cast<int64_t>(network.plan[l].heads[s].size());
  const auto head_width = static_cast<int64_t>(network.geometry.head_width);
  const auto width = static_cast<int64_t>(network.geometry.width);
  const auto stream = static_cast<int64_t>(s);
  return {.qkv_weight = layer.qkv_weight[stream]
                            .view({3, padded, head_width, width})
                            .narrow(1, 0, kept)
                            .reshape({3 * kept * head_width, width}),
          .qkv_bias = layer.qkv_bias[stream]
                          .view({3, padded, head_width})
                          .narrow(1, 0, kept)
                          .reshape({3 * kept * head_width}),
          .out_weight = layer.out_weight[stream].narrow(1, 0, kept * head_width)};
}

void PlaceStream(const StreamAttention& source, const Network& network, size_t l, size_t s,
                 LayerWeights& layer) {
  const auto padded = static_cast<int64_t>(nn::PaddedHeads(network.plan[l]));
  const auto kept = static_cast<int64_t>(network.plan[l].heads[s].size());
  const auto head_width = static_cast<int64_t>(network.geometry.head_width);
  const auto width = static_cast<int64_t>(network.geometry.width);
  const auto stream = static_cast<int64_t>(s);
  layer.qkv_weight[stream]
      .view({3, padded, head_width, width})
      .narrow(1, 0, kept)
      .copy_(source.qkv_weight.view({3, kept, head_width, width}));
  layer.qkv_bias[stream]
      .view({3, padded, head_width})
      .narrow(1, 0, kept)
      .copy_(source.qkv_bias.view({3, kept, head_width}));
  layer.out_weight[stream].narrow(1, 0, kept * head_width).copy_(source.out_weight);
}

std::string StreamPrefix(size_t l, size_t s) {
  return absl::StrCat("layers.", l, ".stream.", s, ".");
}

std::map<std::string, at::Tensor> NamedTensors(Network network) {
  std::map<std::string, at::Tensor> tensors;
  for (const nn::Parameter& parameter : nn::EmbeddingParameters(network))
    tensors[parameter.name] = *parameter.tensor;
  const auto put = [&](const std::vector<Part>& parts) {
    for (const Part& part : parts) {
      for (size_t g = 0; g < part.groups; ++g)
        tensors[part.NameOf(g)] = (*part.tensor)[static_cast<int64_t>(g)];
    }
  };
  put(HeadParts(network));
  for (size_t l = 0; l < network.plan.size(); ++l) {
    put(LayerParts(network, l));
    for (size_t s = 0; s < network.plan[l].streams.size(); ++s) {
      const StreamAttention stream = SliceStream(network, l, s);
      tensors[StreamPrefix(l, s) + "qkv.weight"] = stream.qkv_weight;
      tensors[StreamPrefix(l, s) + "qkv.bias"] = stream.qkv_bias;
      tensors[StreamPrefix(l, s) + "out.weight"] = stream.out_weight;
    }
  }
  return tensors;
}

// Reads tensors and remembers which were read, so that strangers can be refused.
class WeightReader {
 public:
  explicit WeightReader(const artifact::TensorFile& file) : file_(file) {}

  absl::Status Read(const std::string& name, const Shape& shape, at::Tensor& target) {
    ++read_;
    absl::StatusOr<at::Tensor> tensor = nn::ReadTensor(file_, name, shape);
    if (!tensor.ok()) return absl::FailedPreconditionError(tensor.status().message());
    target = *tensor;
    return absl::OkStatus();
  }

  absl::Status ReadParts(const std::vector<Part>& parts) {
    for (const Part& part : parts) {
      std::vector<at::Tensor> groups(part.groups);
      for (size_t g = 0; g < part.groups; ++g) {
        HYDRA_RETURN_IF_ERROR(Read(part.NameOf(g), part.shape, groups[g]));
      }
      *part.tensor = at::stack(groups);
    }
    return absl::OkStatus();
  }

  absl::Status CheckNothingLeft() const {
    if (read_ == file_.tensors().size()) return absl::OkStatus();
    return absl::FailedPreconditionError(absl::StrCat(file_.file(), ": got ",
                                                      file_.tensors().size(), " tensors, want the ",
                                                      read_, " that the manifest asks for"));
  }

 private:
  const artifact::TensorFile& file_;
  size_t read_ = 0;
};

absl::Status ReadAttention(WeightReader& reader, Network& network, size_t l) {
  const artifact::LayerPlan& plan = network.plan[l];
  const auto streams = static_cast<int64_t>(plan.streams.size());
  const auto width = static_cast<int64_t>(network.geometry.width);
  const auto head_width = static_cast<int64_t>(network.geometry.head_width);
  const int64_t padded = static_cast<int64_t>(nn::PaddedHeads(plan)) * head_width;
  LayerWeights& layer = network.weights.layers[l];
  layer.qkv_weight = at::zeros({streams, 3 * padded, width});
  layer.qkv_bias = at::zeros({streams, 3 * padded});
  layer.out_weight = at::zeros({streams, width, padded});
  for (size_t s = 0; s < plan.streams.size(); ++s) {
    const int64_t inner = static_cast<int64_t>(plan.heads[s].size()) * head_width;
    StreamAttention stream;
    HYDRA_RETURN_IF_ERROR(
        reader.Read(StreamPrefix(l, s) + "qkv.weight", {3 * inner, width}, stream.qkv_weight));
    HYDRA_RETURN_IF_ERROR(
        reader.Read(StreamPrefix(l, s) + "qkv.bias", {3 * inner}, stream.qkv_bias));
    HYDRA_RETURN_IF_ERROR(
        reader.Read(StreamPrefix(l, s) + "out.weight", {width, inner}, stream.out_weight));
    PlaceStream(stream, network, l, s, layer);
  }
  return absl::OkStatus();
}

absl::Status ReadNetwork(const artifact::Manifest& manifest, const artifact::TensorFile& file,
                         Network& network) {
  WeightReader reader(file);
  if (network.geometry.patch_size > 0) {  // the list below takes their number from here
    const size_t prefix = nn::PrefixTokens(manifest.family, network.geometry);
    network.weights.prefix = at::empty({static_cast<int64_t>(prefix), 0});
  }
  for (const nn::Parameter& parameter : nn::EmbeddingParameters(network))
    HYDRA_RETURN_IF_ERROR(reader.Read(parameter.name, parameter.shape, *parameter.tensor));
  HYDRA_RETURN_IF_ERROR(reader.ReadParts(HeadParts(network)));
  for (size_t l = 0; l < network.plan.size(); ++l) {
    HYDRA_RETURN_IF_ERROR(reader.ReadParts(LayerParts(network, l)));
    HYDRA_RETURN_IF_ERROR(ReadAttention(reader, network, l));
  }
  HYDRA_RETURN_IF_ERROR(reader.CheckNothingLeft());
  return nn::CheckNetwork(network);
}

absl::Status CheckComputable(const artifact::Manifest& manifest) {
  if (manifest.member_mode != artifact::MemberMode::kFull) {
    return absl::UnimplementedError("manifest.json: member_mode: got \"reader\", want \"full\"");
  }
  for (const artifact::LayerPlan& layer : manifest.layers) {
    if (layer.shared_qkv)
      return absl::UnimplementedError("manifest.json: shared_qkv: got true, want false");
  }
  if (manifest.geometry.layer_scale)
    return absl::UnimplementedError("manifest.json: layer_scale: got true, want false");
  return absl::OkStatus();
}

}  // namespace

void DescribeNetwork(const Network& network, artifact::Manifest& manifest) {
  manifest.geometry = network.geometry;
  manifest.members = network.members;
  manifest.member_mode = artifact::MemberMode::kFull;
  manifest.branch_layer = BranchLayer(network);
  manifest.layers = network.plan;
  manifest.pooling = network.pooling;
  manifest.shared_classifier = network.shared_classifier;
}

absl::StatusOr<std::string> EncodeWeights(const Network& network) {
  return nn::CatchTorch("encode weights", [&]() -> absl::StatusOr<std::string> {
    HYDRA_RETURN_IF_ERROR(nn::CheckNetwork(network));
    return nn::EncodeFloatTensors(NamedTensors(network), {});
  });
}

absl::StatusOr<Network> DecodeWeights(const artifact::Manifest& manifest,
                                      const artifact::TensorFile& weights) {
  HYDRA_RETURN_IF_ERROR(CheckComputable(manifest));
  return nn::CatchTorch("decode weights", [&]() -> absl::StatusOr<Network> {
    Network network{.geometry = manifest.geometry,
                    .members = manifest.members,
                    .plan = manifest.layers,
                    .shared_classifier = manifest.shared_classifier,
                    .pooling = manifest.pooling};
    network.weights.layers.resize(manifest.layers.size());
    HYDRA_RETURN_IF_ERROR(ReadNetwork(manifest, weights, network));
    return network;
  });
}

}  // namespace hydra::ensemble
