#include "model/nn/checkpoint/weight_files.h"

#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "model/base/file.h"
#include "model/base/sha256.h"
#include "model/base/status_macros.h"
#include "nlohmann/json.hpp"

namespace hydra::nn {
namespace {

constexpr size_t kMaxWeightBytes = size_t{16} << 30;
constexpr size_t kMaxIndexBytes = size_t{64} << 20;
constexpr char kSingleFile[] = "model.safetensors";
constexpr char kIndexFile[] = "model.safetensors.index.json";

absl::Status BadIndex(const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat(kIndexFile, ": ", what));
}

std::string PresentName(const std::string& name) {
  if (absl::EndsWith(name, "LayerNorm.gamma")) return name.substr(0, name.size() - 5) + "weight";
  if (absl::EndsWith(name, "LayerNorm.beta")) return name.substr(0, name.size() - 4) + "bias";
  return name;
}

// weight_map: tensor name -> file name.
absl::StatusOr<std::map<std::string, std::string>> ParseIndex(const std::string& text) {
  const nlohmann::json document = nlohmann::json::parse(text, nullptr, false);
  if (!document.is_object() || !document.contains("weight_map") ||
      !document["weight_map"].is_object()) {
    return BadIndex("want an object with the object weight_map");
  }
  std::map<std::string, std::string> map;
  for (const auto& [name, file] : document["weight_map"].items()) {
    const std::string shard = file.is_string() ? file.get<std::string>() : "";
    if (shard.empty() || shard[0] == '.' || shard.find('/') != std::string::npos) {
      return BadIndex(absl::StrCat("weight_map: ", name, ": got ", file.dump(),
                                   ", want the name of a file beside it"));
    }
    map[name] = shard;
  }
  return map;
}

}  // namespace

absl::Status WeightFiles::Add(const std::string& directory, const std::string& name) {
  HYDRA_ASSIGN_OR_RETURN(std::string bytes,
                         base::ReadFile(absl::StrCat(directory, "/", name), kMaxWeightBytes));
  absl::StrAppend(&digest_, base::Sha256Hex(bytes));
  HYDRA_ASSIGN_OR_RETURN(artifact::TensorFile file,
                         artifact::TensorFile::Parse(std::move(bytes), name));
  for (const auto& [tensor, view] : file.tensors()) {
    places_[PresentName(tensor)] = {.file = files_.size(), .name = tensor};
  }
  files_.push_back(std::move(file));
  return absl::OkStatus();
}

absl::StatusOr<WeightFiles> WeightFiles::Open(const std::string& directory) {
  WeightFiles weights;
  const absl::Status single = weights.Add(directory, kSingleFile);
  if (!absl::IsNotFound(single)) {
    HYDRA_RETURN_IF_ERROR(single);
    return weights;
  }
  const auto text = base::ReadFile(absl::StrCat(directory, "/", kIndexFile), kMaxIndexBytes);
  if (absl::IsNotFound(text.status())) {
    return absl::NotFoundError(absl::StrCat(directory, ": want ", kSingleFile, " or ", kIndexFile,
                                            ", as save_pretrained writes them"));
  }
  HYDRA_RETURN_IF_ERROR(text.status());
  HYDRA_ASSIGN_OR_RETURN(const auto shard_of, ParseIndex(*text));
  std::set<std::string> shards;
  for (const auto& [tensor, shard] : shard_of) shards.insert(shard);
  for (const std::string& shard : shards) HYDRA_RETURN_IF_ERROR(weights.Add(directory, shard));
  for (const auto& [tensor, shard] : shard_of) {
    if (!weights.Has(PresentName(tensor)))
      return BadIndex(absl::StrCat("weight_map: ", tensor, ": not in ", shard));
  }
  weights.digest_ = base::Sha256Hex(absl::StrCat(base::Sha256Hex(*text), weights.digest_));
  return weights;
}

absl::StatusOr<at::Tensor> WeightFiles::Read(const std::string& name,
                                             const std::vector<int64_t>& shape) const {
  const auto found = places_.find(name);
  // The first file words the error of a missing tensor.
  if (found == places_.end()) return ReadTensor(files_.front(), name, shape);
  return ReadTensor(files_[found->second.file], found->second.name, shape);
}

absl::StatusOr<at::Tensor> WeightFiles::Read(const std::string& name) const {
  const auto found = places_.find(name);
  if (found == places_.end())
    return absl::NotFoundError(absl::StrCat("checkpoint: ", name, ": missing"));
  const auto& [file, stored] = found->second;
  const artifact::TensorView view = files_[file].Find(stored).value();
  return ReadTensor(files_[file], stored, {view.shape.begin(), view.shape.end()});
}

std::vector<std::string> WeightFiles::Names() const {
  std::vector<std::string> names;
  for (const auto& [name, place] : places_) names.push_back(name);
  return names;
}

}  // namespace hydra::nn
