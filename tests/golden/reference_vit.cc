#include "tests/golden/reference_vit.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "model/base/check.h"

namespace hydra::golden {
namespace {

using artifact::Geometry;
using artifact::LayerPlan;
using artifact::Manifest;
using artifact::TensorFile;

using Row = std::vector<double>;
using Rows = std::vector<Row>;  // [T][features]

// y = W x + b for every row.
struct Linear {
  Row weight;  // [out, in]
  Row bias;    // [out]

  Row operator()(const Row& x) const {
    Row y = bias;
    for (size_t o = 0; o < y.size(); ++o) {
      for (size_t i = 0; i < x.size(); ++i) y[o] += weight[o * x.size() + i] * x[i];
    }
    return y;
  }
};

class Reader {
 public:
  explicit Reader(const TensorFile& file) : file_(file) {}

  Row Read(const std::string& name) const {
    const auto tensor = file_.Find(name);
    HYDRA_CHECK(tensor.ok());
    const std::vector<float> values = artifact::ToFloats(*tensor).value();
    return {values.begin(), values.end()};
  }

  Linear ReadLinear(const std::string& prefix) const {
    return {Read(prefix + ".weight"), Read(prefix + ".bias")};
  }

 private:
  const TensorFile& file_;
};

Row Normalise(const Row& x, const Linear& norm, double epsilon) {
  double mean = 0.0, square = 0.0;
  for (const double v : x) mean += v / static_cast<double>(x.size());
  for (const double v : x) square += (v - mean) * (v - mean) / static_cast<double>(x.size());
  Row y(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    y[i] = (x[i] - mean) / std::sqrt(square + epsilon) * norm.weight[i] + norm.bias[i];
  }
  return y;
}

double Gelu(double x) { return 0.5 * x * (1.0 + std::erf(x / std::sqrt(2.0))); }

void AddTo(Row& x, const Row& y) {
  for (size_t i = 0; i < x.size(); ++i) x[i] += y[i];
}

// Softmax-weighted values of one head for one query.  `qkv` rows hold (q, k, v) x head x feature.
Row AttendHead(const Rows& qkv, size_t query, size_t head, size_t heads, size_t head_width) {
  const size_t q = head * head_width, k = q + heads * head_width, v = k + heads * head_width;
  Row weights;
  double sum = 0.0;
  for (const Row& token : qkv) {
    double dot = 0.0;
    for (size_t d = 0; d < head_width; ++d) dot += qkv[query][q + d] * token[k + d];
    weights.push_back(std::exp(dot / std::sqrt(static_cast<double>(head_width))));
    sum += weights.back();
  }
  Row mixed(head_width, 0.0);
  for (size_t t = 0; t < qkv.size(); ++t) {
    for (size_t d = 0; d < head_width; ++d) mixed[d] += weights[t] / sum * qkv[t][v + d];
  }
  return mixed;
}

size_t StreamOf(const LayerPlan& plan, size_t member) {
  for (size_t s = 0; s < plan.streams.size(); ++s) {
    const auto& stream = plan.streams[s];
    if (std::find(stream.begin(), stream.end(), member) != stream.end()) return s;
  }
  HYDRA_CHECK(false);
}

void AddAttention(const Reader& reader, const Geometry& geometry, const std::string& stream,
                  const Linear& norm, Rows& x) {
  const Linear qkv{reader.Read(stream + "qkv.weight"), reader.Read(stream + "qkv.bias")};
  const Linear out{reader.Read(stream + "out.weight"), reader.Read(stream + "out.bias")};
  const size_t heads = qkv.bias.size() / (3 * geometry.head_width);
  Rows projected;
  for (const Row& token : x) {
    projected.push_back(qkv(Normalise(token, norm, geometry.layer_norm_epsilon)));
  }
  for (size_t t = 0; t < x.size(); ++t) {
    Row mixed;
    for (size_t h = 0; h < heads; ++h) {
      const Row head = AttendHead(projected, t, h, heads, geometry.head_width);
      mixed.insert(mixed.end(), head.begin(), head.end());
    }
    AddTo(x[t], out(mixed));
  }
}

void RunLayer(const Reader& reader, const Manifest& manifest, size_t layer, size_t member,
              Rows& x) {
  const LayerPlan& plan = manifest.layers[layer];
  const size_t s = StreamOf(plan, member);
  const std::string shared = absl::StrCat("layers.", layer, ".");
  const std::string stream = absl::StrCat(shared, "stream.", s, ".");
  const std::string norms = plan.shared_norms ? shared : stream;
  const std::string mlp = plan.shared_mlp ? shared : stream;
  AddAttention(reader, manifest.geometry, stream, reader.ReadLinear(norms + "norm1"), x);
  const Linear norm = reader.ReadLinear(norms + "norm2");
  const Linear fc1 = reader.ReadLinear(mlp + "fc1"), fc2 = reader.ReadLinear(mlp + "fc2");
  for (Row& token : x) {
    Row hidden = fc1(Normalise(token, norm, manifest.geometry.layer_norm_epsilon));
    for (double& v : hidden) v = Gelu(v);
    AddTo(token, fc2(hidden));
  }
}

// Tokens of one image: the prefix, then the patches row by row.
Rows Embed(const Reader& reader, const Geometry& geometry, absl::Span<const float> image) {
  const Linear patch = reader.ReadLinear("patch");
  const size_t p = geometry.patch_size;
  Rows tokens = {reader.Read("prefix")};
  for (size_t top = 0; top + p <= geometry.image_height; top += p) {
    for (size_t left = 0; left + p <= geometry.image_width; left += p) {
      Row pixels;
      for (size_t i = 0; i < geometry.channels * p * p; ++i) {
        const size_t c = i / (p * p), y = top + i / p % p, x = left + i % p;
        pixels.push_back(image[(c * geometry.image_height + y) * geometry.image_width + x]);
      }
      tokens.push_back(patch(pixels));
    }
  }
  const Row position = reader.Read("position");
  for (size_t t = 0; t < tokens.size(); ++t) {
    for (size_t d = 0; d < geometry.width; ++d) tokens[t][d] += position[t * geometry.width + d];
  }
  return tokens;
}

}  // namespace

std::vector<float> ReferenceLogits(const Manifest& manifest, const TensorFile& weights,
                                   absl::Span<const float> inputs, size_t batch) {
  const Reader reader(weights);
  const size_t row_values = inputs.size() / batch;
  std::vector<float> logits;
  for (size_t m = 0; m < manifest.members; ++m) {
    const std::string end = manifest.shared_classifier ? "" : absl::StrCat("member.", m, ".");
    const Linear norm = reader.ReadLinear(end + "final_norm");
    const Linear classifier = reader.ReadLinear(end + "classifier");
    for (size_t b = 0; b < batch; ++b) {
      Rows x = Embed(reader, manifest.geometry, inputs.subspan(b * row_values, row_values));
      for (size_t l = 0; l < manifest.layers.size(); ++l) RunLayer(reader, manifest, l, m, x);
      const Row row = classifier(Normalise(x.front(), norm, manifest.geometry.layer_norm_epsilon));
      logits.insert(logits.end(), row.begin(), row.end());
    }
  }
  return logits;
}

}  // namespace hydra::golden
