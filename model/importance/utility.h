// What the variants of a network answer, read as utilities.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "model/importance/circuit.h"

namespace hydra::importance {

// Collects the answers of V variants batch by batch.  Not thread-safe.
class VariantAnswers {
 public:
  explicit VariantAnswers(size_t variants) : variants_(variants) {}

  // `logits`: [V, B, C]; `labels`: [B].
  void AddId(const at::Tensor& logits, const at::Tensor& labels);
  void AddOod(const at::Tensor& logits);

  // The drop of each variant against the last one, which has nothing removed; V - 1 of them.
  // Errors: as metrics::MeasureDetection.
  absl::StatusOr<std::vector<double>> Drops(CircuitObjective objective) const;

 private:
  // Utility of every variant.
  absl::StatusOr<std::vector<double>> Utilities(CircuitObjective objective) const;
  absl::StatusOr<double> Auroc(size_t variant) const;

  const size_t variants_;
  std::vector<at::Tensor> nll_, brier_;             // [V, B] each
  std::vector<at::Tensor> id_surety_, ood_surety_;  // largest probability, [V, B] each
};

}  // namespace hydra::importance
