#include "model/train/training_state.h"

#include <c10/core/GradMode.h>

#include <map>
#include <memory>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "model/artifact/tensor_file.h"
#include "model/base/file.h"
#include "model/base/status_macros.h"
#include "model/nn/tensor_convert.h"

namespace hydra::train {
namespace {

using torch::optim::AdamWParamState;

constexpr size_t kMaxStateBytes = size_t{16} << 30;

AdamWParamState* MomentsOf(torch::optim::AdamW& optimiser, const at::Tensor& parameter) {
  const auto found = optimiser.state().find(parameter.unsafeGetTensorImpl());
  return found == optimiser.state().end() ? nullptr
                                          : static_cast<AdamWParamState*>(found->second.get());
}

absl::StatusOr<std::string> Metadata(const artifact::TensorFile& file, const std::string& key) {
  const auto found = file.metadata().find(key);
  if (found != file.metadata().end()) return found->second;
  return absl::FailedPreconditionError(
      absl::StrCat(file.file(), ": no ", key, ": not a training state"));
}

absl::StatusOr<at::Tensor> ReadLike(const artifact::TensorFile& file, const std::string& name,
                                    const at::Tensor& like) {
  absl::StatusOr<at::Tensor> tensor = nn::ReadTensor(file, name, like.sizes().vec());
  if (!tensor.ok()) return absl::FailedPreconditionError(tensor.status().message());
  return tensor;
}

}  // namespace

absl::Status SaveState(const std::string& path, const std::string& fingerprint, size_t step,
                       const RunState& state) {
  std::map<std::string, at::Tensor> tensors;
  for (const auto& [name, tensor] : state.further) tensors["further." + name] = tensor;
  for (const auto& [name, parameter] : nn::NamedParameters(state.network)) {
    tensors["parameter." + name] = *parameter;
    if (const AdamWParamState* moments = MomentsOf(state.optimiser, *parameter)) {
      tensors["moment1." + name] = moments->exp_avg();
      tensors["moment2." + name] = moments->exp_avg_sq();
    }
  }
  HYDRA_ASSIGN_OR_RETURN(
      const std::string bytes,
      nn::EncodeFloatTensors(tensors, {{"step", absl::StrCat(step)}, {"run", fingerprint}}));
  return base::WriteFileAtomically(path, bytes);
}

absl::StatusOr<size_t> LoadState(const std::string& path, const std::string& fingerprint,
                                 const RunState& state) {
  absl::StatusOr<artifact::TensorFile> file = artifact::TensorFile::Open(path, kMaxStateBytes);
  if (absl::IsNotFound(file.status())) return size_t{0};
  HYDRA_RETURN_IF_ERROR(file.status());
  HYDRA_ASSIGN_OR_RETURN(const std::string run, Metadata(*file, "run"));
  if (run != fingerprint) {
    return absl::FailedPreconditionError(absl::StrCat(path, ": state of another run: got ", run,
                                                      ", want ", fingerprint,
                                                      "; remove the file to start over"));
  }
  HYDRA_ASSIGN_OR_RETURN(const std::string step_text, Metadata(*file, "step"));
  size_t step = 0;
  if (!absl::SimpleAtoi(step_text, &step)) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, ": step: got \"", step_text, "\", want a number"));
  }
  const c10::AutoGradMode no_gradients(false);
  for (const auto& [name, tensor] : state.further) {
    HYDRA_ASSIGN_OR_RETURN(const at::Tensor value, ReadLike(*file, "further." + name, tensor));
    tensor.copy_(value);
  }
  for (const auto& [name, parameter] : nn::NamedParameters(state.network)) {
    HYDRA_ASSIGN_OR_RETURN(const at::Tensor value,
                           ReadLike(*file, "parameter." + name, *parameter));
    parameter->copy_(value);
    if (!file->Contains("moment1." + name)) continue;
    auto moments = std::make_unique<AdamWParamState>();
    HYDRA_ASSIGN_OR_RETURN(const at::Tensor first, ReadLike(*file, "moment1." + name, *parameter));
    HYDRA_ASSIGN_OR_RETURN(const at::Tensor second, ReadLike(*file, "moment2." + name, *parameter));
    moments->step(static_cast<int64_t>(step));
    moments->exp_avg(first);
    moments->exp_avg_sq(second);
    state.optimiser.state()[parameter->unsafeGetTensorImpl()] = std::move(moments);
  }
  return step;
}

}  // namespace hydra::train
