#include "model/nn/sequences.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace hydra::nn {
namespace {

at::Tensor Index(const std::vector<int64_t>& values) { return at::tensor(values, at::kLong); }

std::vector<int64_t> FirstRows(const std::vector<int64_t>& lengths) {
  std::vector<int64_t> first(lengths.size());
  std::exclusive_scan(lengths.begin(), lengths.end(), first.begin(), int64_t{0});
  return first;
}

// `inputs` are ordered by length.
SequenceGroup MakeGroup(const std::vector<int64_t>& inputs, const std::vector<int64_t>& lengths,
                        const std::vector<int64_t>& first) {
  SequenceGroup group{.inputs = inputs, .tokens = lengths[static_cast<size_t>(inputs.back())]};
  const auto count = static_cast<int64_t>(inputs.size());
  std::vector<int64_t> gather, real;
  at::Tensor mask = at::zeros({count, 1, 1, group.tokens});
  for (int64_t i = 0; i < count; ++i) {
    const auto input = static_cast<size_t>(inputs[static_cast<size_t>(i)]);
    for (int64_t t = 0; t < group.tokens; ++t) {
      const bool there = t < lengths[input];
      if (there) real.push_back(i * group.tokens + t);
      gather.push_back(there ? first[input] + t : first[input]);
    }
    mask[i]
        .narrow(2, lengths[input], group.tokens - lengths[input])
        .fill_(-std::numeric_limits<float>::infinity());
  }
  group.gather = Index(gather);
  if (real.size() == gather.size()) return group;
  group.real = Index(real);
  group.mask = mask;
  return group;
}

bool Fits(int64_t shortest, int64_t length) {
  return length <= std::max(shortest + 8, shortest + shortest / 2);
}

}  // namespace

Sequences LayOut(const std::vector<int64_t>& lengths) {
  const std::vector<int64_t> first = FirstRows(lengths);
  Sequences sequences{.batch = static_cast<int64_t>(lengths.size()),
                      .rows = std::accumulate(lengths.begin(), lengths.end(), int64_t{0}),
                      .lengths = lengths,
                      .first_row = Index(first)};
  std::vector<int64_t> order(lengths.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  const auto length = [&](int64_t input) { return lengths[static_cast<size_t>(input)]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return length(a) < length(b); });
  if (length(order.front()) == length(order.back())) {
    sequences.groups.push_back({.inputs = order, .tokens = length(order.front())});
    return sequences;
  }
  std::vector<int64_t> grouped(static_cast<size_t>(sequences.rows));  // packed row -> its place
  int64_t place = 0;
  for (auto begin = order.begin(); begin != order.end();) {
    const auto end = std::find_if(
        begin, order.end(), [&](int64_t input) { return !Fits(length(*begin), length(input)); });
    sequences.groups.push_back(MakeGroup({begin, end}, lengths, first));
    for (; begin != end; ++begin) {
      const auto row = static_cast<size_t>(first[static_cast<size_t>(*begin)]);
      for (int64_t t = 0; t < length(*begin); ++t) grouped[row + static_cast<size_t>(t)] = place++;
    }
  }
  sequences.restore = Index(grouped);
  return sequences;
}

at::Tensor RowInputs(const Sequences& sequences) {
  return at::repeat_interleave(at::arange(sequences.batch, at::kLong), Index(sequences.lengths));
}

at::Tensor RowPlaces(const Sequences& sequences) {
  return at::arange(sequences.rows, at::kLong) -
         sequences.first_row.index_select(0, RowInputs(sequences));
}

}  // namespace hydra::nn
