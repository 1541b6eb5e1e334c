#include "model/ensemble/bundle_weights.h"

#include <map>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "model/base/status_macros.h"
#include "model/ensemble/merge.h"
#include "model/nn/catch_torch.h"
#include "model/nn/readers.h"
#include "model/nn/tensor_convert.h"

namespace hydra::ensemble {
namespace {

using nn::Network;

// One tensor of the file: a part of a parameter in memory, without the padding.
struct Stored {
  std::string name;
  at::Tensor view;  // shares the parameter's memory
  std::vector<int64_t> shape;
};

Stored Whole(const std::string& name, const at::Tensor& tensor) {
  return {name, tensor, tensor.sizes().vec()};
}

// How the rows (or columns) of a padded matrix belong to heads.
struct HeadRows {
  int64_t parts = 1;  // q, k and v: 3
  int64_t padded = 0, kept = 0, width = 0;
};

// rows: [parts*padded*d_h, ...].
Stored Heads(const std::string& name, const at::Tensor& rows, const HeadRows& heads) {
  std::vector<int64_t> split = {heads.parts, heads.padded, heads.width};
  std::vector<int64_t> shape = rows.sizes().vec();
  split.insert(split.end(), shape.begin() + 1, shape.end());
  shape[0] = heads.parts * heads.kept * heads.width;
  return {name, rows.view(split).narrow(1, 0, heads.kept), shape};
}

Stored Columns(const std::string& name, const at::Tensor& matrix, const HeadRows& heads) {
  return Whole(name, matrix.narrow(1, 0, heads.kept * heads.width));
}

std::string LastName(const std::string& name, size_t dots) {
  const std::vector<std::string> parts = absl::StrSplit(name, '.');
  return absl::StrJoin(parts.begin() + static_cast<std::ptrdiff_t>(dots), parts.end(), ".");
}

// A layer of the tokens: by stream where the parameter is, else once.
void StoreLayer(Network& network, size_t l, std::vector<Stored>& stored) {
  const artifact::LayerPlan plan = nn::TokenPlan(network, l);
  const std::string layer = absl::StrCat("layers.", l, ".");
  HeadRows heads{.parts = nn::GivesKeysValuesOnly(network, l) ? 2 : 3,
                 .padded = static_cast<int64_t>(nn::PaddedHeads(plan)),
                 .width = static_cast<int64_t>(network.geometry.head_width)};
  for (const nn::Parameter& parameter : nn::LayerParameters(network, l)) {
    const std::string name = LastName(parameter.name, 2);
    const bool asks = absl::StartsWith(name, "qkv") || absl::StartsWith(name, "key_value");
    const bool once =
        asks ? plan.shared_qkv
             : !absl::StartsWith(name, "out") &&
                   (absl::StartsWith(name, "norm") ? plan.shared_norms : plan.shared_mlp);
    if (once) {
      stored.push_back(Whole(layer + name, (*parameter.tensor)[0]));
      continue;
    }
    for (size_t s = 0; s < plan.streams.size(); ++s) {
      const at::Tensor own = (*parameter.tensor)[static_cast<int64_t>(s)];
      const std::string full = absl::StrCat(layer, "stream.", s, ".", name);
      heads.kept = static_cast<int64_t>(plan.heads[s].size());
      stored.push_back(asks                   ? Heads(full, own, heads)
                       : name == "out.weight" ? Columns(full, own, heads)
                                              : Whole(full, own));
    }
  }
}

void StoreReaders(Network& network, size_t l, std::vector<Stored>& stored) {
  const artifact::LayerPlan& plan = network.plan[l];
  HeadRows heads{.padded = static_cast<int64_t>(nn::PaddedHeads(plan)),
                 .width = static_cast<int64_t>(network.geometry.head_width)};
  for (const nn::Parameter& parameter : nn::ReaderParameters(network, l)) {
    const std::string name = LastName(parameter.name, 2);
    for (size_t m = 0; m < network.members; ++m) {
      const at::Tensor own = (*parameter.tensor)[static_cast<int64_t>(m)];
      const std::string full = absl::StrCat("readers.", l, ".member.", m, ".", name);
      heads.kept = static_cast<int64_t>(plan.heads[m].size());
      heads.parts = absl::StartsWith(name, "key_value") ? 2 : 1;
      const bool asks = heads.parts == 2 || absl::StartsWith(name, "query");
      stored.push_back(asks                   ? Heads(full, own, heads)
                       : name == "out.weight" ? Columns(full, own, heads)
                                              : Whole(full, own));
    }
  }
}

// Every tensor of weights.safetensors.
std::vector<Stored> StoredTensors(Network& network) {
  std::vector<Stored> stored;
  for (const nn::Parameter& parameter : nn::EmbeddingParameters(network))
    stored.push_back(Whole(parameter.name, *parameter.tensor));
  for (const nn::Parameter& parameter : nn::HeadParameters(network)) {
    for (int64_t m = 0; m < parameter.tensor->size(0); ++m) {
      const std::string member =
          network.shared_classifier ? std::string() : absl::StrCat("member.", m, ".");
      stored.push_back(Whole(member + parameter.name, (*parameter.tensor)[m]));
    }
  }
  for (size_t l = 0; l < network.plan.size(); ++l) StoreLayer(network, l, stored);
  for (size_t r = 0; r < network.weights.readers.size(); ++r)
    StoreReaders(network, network.reader->first_layer + r, stored);
  return stored;
}

// Parameters without memory (or with zeros) of the plan's shapes.
void Allocate(Network& network, at::Device device) {
  for (const nn::Parameter& parameter : nn::AllParameters(network))
    *parameter.tensor = at::zeros(parameter.shape, at::TensorOptions(at::kFloat).device(device));
}

// The file has exactly the tensors that the plan asks for, before any memory is taken for them.
absl::Status CheckStored(Network network, const artifact::TensorFile& file) {
  Allocate(network, at::kMeta);
  const std::vector<Stored> stored = StoredTensors(network);
  for (const Stored& tensor : stored) {
    const absl::StatusOr<artifact::TensorView> view = file.Find(tensor.name);
    if (!view.ok()) return absl::FailedPreconditionError(view.status().message());
    const std::vector<int64_t> shape(view->shape.begin(), view->shape.end());
    if (shape == tensor.shape) continue;
    return absl::FailedPreconditionError(
        absl::StrCat(file.file(), ": ", tensor.name, ": got shape [", absl::StrJoin(shape, ", "),
                     "], want [", absl::StrJoin(tensor.shape, ", "), "]"));
  }
  if (stored.size() == file.tensors().size()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(file.file(), ": got ", file.tensors().size(),
                                                    " tensors, want the ", stored.size(),
                                                    " that the manifest asks for"));
}

absl::Status ReadNetwork(const artifact::Manifest& manifest, const artifact::TensorFile& file,
                         Network& network) {
  if (network.geometry.patch_size > 0) {  // the lists take their number from here
    const size_t prefix = nn::PrefixTokens(manifest.family, network.geometry);
    network.weights.prefix = at::empty({static_cast<int64_t>(prefix), 0});
  }
  if (network.reader.has_value()) HYDRA_RETURN_IF_ERROR(nn::CheckReaders(network));
  HYDRA_RETURN_IF_ERROR(CheckStored(network, file));
  Allocate(network, at::kCPU);
  for (const Stored& tensor : StoredTensors(network)) {
    absl::StatusOr<at::Tensor> values = nn::ReadTensor(file, tensor.name, tensor.shape);
    if (!values.ok()) return absl::FailedPreconditionError(values.status().message());
    tensor.view.copy_(values->view(tensor.view.sizes()));
  }
  return nn::CheckNetwork(network);
}

absl::Status CheckComputable(const artifact::Manifest& manifest) {
  const bool reads = manifest.member_mode == artifact::MemberMode::kReader;
  if (reads != manifest.reader.has_value()) {
    return absl::FailedPreconditionError(
        "manifest.json: reader: want it with member_mode \"reader\" and only there");
  }
  if (reads && manifest.reader->first_layer >= manifest.layers.size()) {
    return absl::FailedPreconditionError(absl::StrCat("manifest.json: reader.first_layer: got ",
                                                      manifest.reader->first_layer,
                                                      ", want less than ", manifest.layers.size()));
  }
  if (!manifest.geometry.layer_scale) return absl::OkStatus();
  return absl::UnimplementedError("manifest.json: layer_scale: got true, want false");
}

}  // namespace

void DescribeNetwork(const Network& network, artifact::Manifest& manifest) {
  manifest.geometry = network.geometry;
  manifest.members = network.members;
  manifest.member_mode =
      network.reader.has_value() ? artifact::MemberMode::kReader : artifact::MemberMode::kFull;
  manifest.reader = network.reader;
  manifest.branch_layer = BranchLayer(network);
  manifest.layers = network.plan;
  manifest.pooling = network.pooling;
  manifest.shared_classifier = network.shared_classifier;
}

absl::StatusOr<std::string> EncodeWeights(const Network& network) {
  return nn::CatchTorch("encode weights", [&]() -> absl::StatusOr<std::string> {
    HYDRA_RETURN_IF_ERROR(nn::CheckNetwork(network));
    Network view = network;  // shares its tensors
    std::map<std::string, at::Tensor> tensors;
    for (const Stored& stored : StoredTensors(view))
      tensors[stored.name] = stored.view.reshape(stored.shape);
    return nn::EncodeFloatTensors(tensors, {});
  });
}

absl::StatusOr<Network> DecodeWeights(const artifact::Manifest& manifest,
                                      const artifact::TensorFile& weights) {
  HYDRA_RETURN_IF_ERROR(CheckComputable(manifest));
  return nn::CatchTorch("decode weights", [&]() -> absl::StatusOr<Network> {
    Network network{.geometry = manifest.geometry,
                    .members = manifest.members,
                    .plan = manifest.layers,
                    .reader = manifest.reader,
                    .shared_classifier = manifest.shared_classifier,
                    .pooling = manifest.pooling};
    network.weights.layers.resize(manifest.layers.size());
    if (network.reader.has_value()) {
      network.weights.readers.resize(manifest.layers.size() - network.reader->first_layer);
    }
    HYDRA_RETURN_IF_ERROR(ReadNetwork(manifest, weights, network));
    return network;
  });
}

}  // namespace hydra::ensemble
