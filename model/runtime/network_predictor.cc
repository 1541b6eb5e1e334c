#include "model/runtime/network_predictor.h"

#include <ATen/Parallel.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/InferenceMode.h>

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "model/base/status_macros.h"
#include "model/nn/catch_torch.h"
#include "model/nn/pass/forward.h"
#include "model/nn/tensor_convert.h"
#include "model/runtime/attention_capture.h"
#include "model/runtime/rows.h"

namespace hydra::runtime {
namespace {

class NetworkPredictor final : public Predictor {
 public:
  NetworkPredictor(nn::Network network, const PredictorOptions& options)
      : network_(std::move(network)),
        threads_(static_cast<int>(options.threads)),
        every_token_(options.every_token) {
    const artifact::Geometry& geometry = network_.geometry;
    shape_ = {.members = network_.members,
              .classes = geometry.classes,
              .row_values = geometry.channels * geometry.image_height * geometry.image_width,
              .max_tokens = geometry.max_positions,
              .vocabulary = geometry.vocabulary};
  }

  const PredictorShape& shape() const override { return shape_; }

  absl::StatusOr<std::vector<float>> Run(absl::Span<const float> rows, size_t batch) override {
    HYDRA_RETURN_IF_ERROR(CheckImages(rows, batch, shape_));
    return nn::CatchTorch("forward pass", [&] { return Forward(Images(rows, batch)); });
  }

  absl::StatusOr<std::vector<float>> RunTexts(absl::Span<const int64_t> ids,
                                              absl::Span<const size_t> lengths) override {
    HYDRA_RETURN_IF_ERROR(CheckTexts(ids, lengths, shape_));
    return nn::CatchTorch("forward pass", [&] { return Forward(Texts(ids, lengths)); });
  }

  absl::StatusOr<std::vector<HeadAttention>> Explain(const Rows& row,
                                                     absl::Span<const HeadQuery> heads) override {
    HYDRA_RETURN_IF_ERROR(CheckRows(row, 1, shape_));
    return nn::CatchTorch("explain", [&] {
      TakeThreads();
      const c10::InferenceMode inference;
      const nn::Input input = shape_.takes_texts() ? nn::Input(Texts(row.token_ids, row.lengths))
                                                   : nn::Input(Images(row.values, 1));
      return CaptureAttention(network_, input, heads);
    });
  }

 private:
  // from_blob wants a mutable pointer; the forward pass only reads its input.
  at::Tensor Images(absl::Span<const float> rows, size_t batch) const {
    const artifact::Geometry& geometry = network_.geometry;
    return at::from_blob(
        const_cast<float*>(rows.data()),
        {static_cast<int64_t>(batch), static_cast<int64_t>(geometry.channels),
         static_cast<int64_t>(geometry.image_height), static_cast<int64_t>(geometry.image_width)},
        at::kFloat);
  }

  static nn::TokenBatch Texts(absl::Span<const int64_t> ids, absl::Span<const size_t> lengths) {
    return {.ids = at::from_blob(const_cast<int64_t*>(ids.data()),
                                 {static_cast<int64_t>(ids.size())}, at::kLong),
            .lengths = {lengths.begin(), lengths.end()}};
  }

  // LibTorch's thread count belongs to the calling thread, and a lane may move its predictor once.
  void TakeThreads() const {
    if (at::get_num_threads() != threads_) at::set_num_threads(threads_);
  }

  std::vector<float> Forward(const nn::Input& input) const {
    TakeThreads();
    const c10::InferenceMode inference;
    return nn::ToFloatVector(nn::Forward(network_, input, {.plain = every_token_}));
  }

  const nn::Network network_;
  const int threads_;
  const bool every_token_;
  PredictorShape shape_;
};

}  // namespace

Numerics ResolveNumerics(Numerics wanted) {
  const bool supported = __builtin_cpu_supports("avx512bf16") != 0;
  return supported ? wanted : Numerics::kFloat32;
}

absl::StatusOr<std::unique_ptr<Predictor>> MakePredictor(const nn::Network& network,
                                                         PredictorOptions options) {
  if (options.threads == 0) return absl::InvalidArgumentError("threads: got 0, want at least 1");
  return nn::CatchTorch("make predictor", [&]() -> absl::StatusOr<std::unique_ptr<Predictor>> {
    HYDRA_RETURN_IF_ERROR(nn::CheckNetwork(network));
    nn::Network copy = nn::Clone(network);
    if (ResolveNumerics(options.numerics) == Numerics::kBFloat16) nn::RoundMatricesToBFloat16(copy);
    return std::make_unique<NetworkPredictor>(std::move(copy), options);
  });
}

}  // namespace hydra::runtime
