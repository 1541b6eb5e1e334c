// The tensors of a checkpoint: model.safetensors, or the shards that an index names.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "model/artifact/tensor_file.h"
#include "model/nn/tensor_convert.h"

namespace hydra::nn {

class WeightFiles {
 public:
  // model.safetensors, else model.safetensors.index.json and its shards, which must lie in
  // `directory` itself.  Errors: NOT_FOUND neither; INVALID_ARGUMENT a malformed file, or an index
  // that names a tensor which its shard lacks.
  static absl::StatusOr<WeightFiles> Open(const std::string& directory);

  bool Has(const std::string& name) const { return places_.count(name) > 0; }

  // As nn::ReadTensor.  A name may end in "LayerNorm.gamma" or "LayerNorm.beta"
  // in the file, as in BERT's first checkpoints; it is found by "weight" or "bias".
  absl::StatusOr<at::Tensor> Read(const std::string& name, const std::vector<int64_t>& shape) const;

  // A tensor of any shape.
  absl::StatusOr<at::Tensor> Read(const std::string& name) const;

  std::vector<std::string> Names() const;

  // sha256 of model.safetensors; of shards, of the index and their digests in order of name.
  const std::string& digest() const { return digest_; }

 private:
  absl::Status Add(const std::string& directory, const std::string& name);

  std::vector<artifact::TensorFile> files_;
  struct Place {
    size_t file = 0;
    std::string name;  // in the file
  };
  std::map<std::string, Place> places_;
  std::string digest_;
};

}  // namespace hydra::nn
