#include "model/nn/pass/attention.h"

#include <ATen/ops/scaled_dot_product_attention.h>
#include <c10/core/GradMode.h>

#include <cmath>
#include <limits>
#include <vector>

namespace hydra::nn {
namespace {

// [T, T]: -inf where the key comes after the query.
at::Tensor CausalMask(int64_t tokens) {
  return at::full({tokens, tokens}, -std::numeric_limits<float>::infinity()).triu(1);
}

at::Tensor MaskOf(const SequenceGroup& group, bool causal) {
  if (!causal) return group.mask;
  const at::Tensor mask = CausalMask(group.tokens);
  return group.mask.defined() ? mask + group.mask : mask;
}

// q, k: [S*n, K, T, d_h] -> [S*n, K, T, T].
at::Tensor Probabilities(const at::Tensor& q, const at::Tensor& k, const at::Tensor& mask) {
  const double scale = 1.0 / std::sqrt(static_cast<double>(q.size(3)));
  at::Tensor scores = at::matmul(q * scale, k.transpose(2, 3));
  if (mask.defined()) scores = scores + mask.to(scores.scalar_type());
  return at::softmax(scores, -1);
}

// The mask of every stream's inputs.
at::Tensor RepeatMask(const at::Tensor& mask, int64_t streams) {
  return mask.defined() && mask.dim() == 4 && streams > 1 ? mask.repeat({streams, 1, 1, 1}) : mask;
}

// qkv: [S, n*T, 3, K, d_h] of one group -> [S, n*T, K, d_h].  The plain formula while training: on
// CPU the backward pass of the fused kernel is several times slower than this one at short
// sequences.
at::Tensor AttendGroup(const at::Tensor& qkv, const SequenceGroup& group,
                       const AttentionOptions& options) {
  const int64_t streams = qkv.size(0), heads = qkv.size(3), width = qkv.size(4);
  const auto count = static_cast<int64_t>(group.inputs.size());
  const at::Tensor parts = qkv.view({streams * count, group.tokens, 3, heads, width})
                               .permute({2, 0, 3, 1, 4})
                               .contiguous();
  const at::Tensor mask = RepeatMask(MaskOf(group, options.causal), streams);
  at::Tensor context;
  if (options.observe || c10::GradMode::is_enabled()) {
    at::Tensor weights = Probabilities(parts[0], parts[1], mask);
    if (options.observe) {
      options.observe(options.layer, group,
                      weights.view({streams, count, heads, group.tokens, group.tokens}));
    }
    if (options.dropout > 0.0) weights = at::dropout(weights, options.dropout, /*train=*/true);
    context = at::matmul(weights, parts[2]);
  } else if (mask.defined()) {
    context = at::scaled_dot_product_attention(parts[0], parts[1], parts[2],
                                               mask.to(parts.scalar_type()));
  } else {
    context = at::scaled_dot_product_attention(parts[0], parts[1], parts[2]);
  }
  return context.transpose(1, 2).reshape({streams, count * group.tokens, heads, width});
}

// queries: [S, n, q, K, d_h], keys_values: [S, n*T, 2, K, d_h] of one group -> [S, n, q, K, d_h].
at::Tensor AttendGroupRows(const at::Tensor& queries, const at::Tensor& keys_values,
                           const SequenceGroup& group) {
  const int64_t streams = queries.size(0), heads = queries.size(3), width = queries.size(4);
  const auto count = static_cast<int64_t>(group.inputs.size());
  const at::Tensor parts = keys_values.view({streams * count, group.tokens, 2, heads, width})
                               .permute({2, 0, 3, 1, 4})
                               .contiguous();
  const at::Tensor mask = RepeatMask(group.mask, streams);
  const at::Tensor asked = queries.flatten(0, 1).transpose(1, 2);  // [S*n, K, q, d_h]
  const at::Tensor context = mask.defined()
                                 ? at::scaled_dot_product_attention(asked, parts[0], parts[1],
                                                                    mask.to(parts.scalar_type()))
                                 : at::scaled_dot_product_attention(asked, parts[0], parts[1]);
  return context.transpose(1, 2).reshape(queries.sizes());
}

}  // namespace

at::Tensor AttendRows(const at::Tensor& queries, const at::Tensor& keys_values,
                      const Sequences& sequences) {
  const int64_t each = queries.size(1) / sequences.batch;
  const at::Tensor by_input =
      queries.view({queries.size(0), sequences.batch, each, queries.size(2), queries.size(3)});
  if (!sequences.restore.defined()) {
    return AttendGroupRows(by_input, keys_values, sequences.groups.front()).flatten(1, 2);
  }
  at::Tensor contexts = at::empty_like(by_input);
  for (const SequenceGroup& group : sequences.groups) {
    const at::Tensor inputs = at::tensor(group.inputs, at::kLong);
    contexts.index_copy_(1, inputs,
                         AttendGroupRows(by_input.index_select(1, inputs),
                                         keys_values.index_select(1, group.gather), group));
  }
  return contexts.flatten(1, 2);
}

at::Tensor Attend(const at::Tensor& qkv, const Sequences& sequences,
                  const AttentionOptions& options) {
  if (!sequences.restore.defined()) return AttendGroup(qkv, sequences.groups.front(), options);
  std::vector<at::Tensor> contexts;
  for (const SequenceGroup& group : sequences.groups) {
    const at::Tensor context = AttendGroup(qkv.index_select(1, group.gather), group, options);
    contexts.push_back(group.real.defined() ? context.index_select(1, group.real) : context);
  }
  return at::cat(contexts, 1).index_select(1, sequences.restore);
}

}  // namespace hydra::nn
