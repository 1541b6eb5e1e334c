#include "tests/unit/model/nn/encoder_vectors.h"

#include <limits>

#include "absl/strings/str_cat.h"
#include "model/artifact/tensor_file.h"
#include "model/nn/pass/embed.h"
#include "model/nn/tensor_convert.h"

namespace hydra::testing {
namespace {

constexpr size_t kMaxVectorBytes = size_t{1} << 20;

at::Tensor Load(const artifact::TensorFile& file, const std::string& name) {
  const artifact::TensorView view = file.Find(name).value();
  return nn::ReadTensor(file, name, {view.shape.begin(), view.shape.end()}).value();
}

nn::Input LoadInput(const artifact::TensorFile& file) {
  if (file.Find("images").ok()) return Load(file, "images");
  nn::TokenBatch texts{.ids = Load(file, "ids").to(at::kLong)};
  for (const float length : nn::ToFloatVector(Load(file, "lengths")))
    texts.lengths.push_back(static_cast<int64_t>(length));
  return texts;
}

// Observes attention group by group; parts[layer][input] in the end.
class AttentionCollector {
 public:
  AttentionCollector(size_t layers, size_t inputs, std::vector<int64_t> lengths)
      : parts_(layers, std::vector<at::Tensor>(inputs)), lengths_(std::move(lengths)) {}

  void Add(size_t layer, const nn::SequenceGroup& group, const at::Tensor& probabilities) {
    for (size_t i = 0; i < group.inputs.size(); ++i) {
      const auto input = static_cast<size_t>(group.inputs[i]);
      const int64_t tokens = lengths_[input];
      const at::Tensor real = probabilities[0][static_cast<int64_t>(i)];
      parts_[layer][input] = real.narrow(1, 0, tokens).narrow(2, 0, tokens).flatten();
    }
  }

  std::vector<at::Tensor> Layers() const {
    std::vector<at::Tensor> layers;
    for (const std::vector<at::Tensor>& inputs : parts_) layers.push_back(at::cat(inputs));
    return layers;
  }

 private:
  std::vector<std::vector<at::Tensor>> parts_;
  std::vector<int64_t> lengths_;
};

}  // namespace

std::string EncoderCase(const std::string& name) {
  return absl::StrCat(HYDRA_SOURCE_DIR, "/tests/golden/encoders/", name);
}

EncoderVectors ReadVectors(const std::string& name, const std::string& file) {
  const artifact::TensorFile tensors =
      artifact::TensorFile::Open(absl::StrCat(EncoderCase(name), "/", file), kMaxVectorBytes)
          .value();
  EncoderVectors vectors{.input = LoadInput(tensors), .answer = Load(tensors, "answer")};
  for (size_t l = 0; tensors.Find(absl::StrCat("hidden.", l)).ok(); ++l) {
    vectors.hidden.push_back(Load(tensors, absl::StrCat("hidden.", l)));
    vectors.attention.push_back(Load(tensors, absl::StrCat("attention.", l)));
  }
  return vectors;
}

EncoderVectors Observe(const nn::Network& network, const nn::Input& input) {
  EncoderVectors seen{.input = input};
  nn::ForwardOptions options;
  options.observe = [&](size_t layer, const at::Tensor& x) {
    if (layer < network.plan.size()) seen.hidden.push_back(x[0]);
  };
  seen.answer = nn::Forward(network, input, options)[0];
  return seen;
}

EncoderVectors ObserveWithAttention(const nn::Network& network, const nn::Input& input) {
  EncoderVectors seen{.input = input};
  AttentionCollector collector(network.plan.size(), static_cast<size_t>(nn::InputSize(input)),
                               nn::TokenCounts(network, input));
  nn::ForwardOptions options;
  options.observe = [&](size_t layer, const at::Tensor& x) {
    if (layer < network.plan.size()) seen.hidden.push_back(x[0]);
  };
  options.observe_attention = [&](size_t layer, const nn::SequenceGroup& group,
                                  const at::Tensor& probabilities) {
    collector.Add(layer, group, probabilities);
  };
  seen.answer = nn::Forward(network, input, options)[0];
  seen.attention = collector.Layers();
  return seen;
}

double RelativeDifference(const at::Tensor& got, const at::Tensor& want) {
  if (got.sizes() != want.sizes()) return std::numeric_limits<double>::infinity();
  return (got - want).abs().max().item<double>() / want.abs().max().item<double>();
}

}  // namespace hydra::testing
