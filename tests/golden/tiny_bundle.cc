#include "tests/golden/tiny_bundle.h"

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "model/artifact/codec/head_overlap.h"
#include "model/base/check.h"
#include "model/base/rng.h"
#include "model/base/sha256.h"
#include "tests/golden/reference_vit.h"

namespace hydra::golden {
namespace {

using artifact::BundleDocuments;
using artifact::DType;
using artifact::TensorEntry;

constexpr size_t kMembers = 3;
constexpr size_t kClasses = 3;
constexpr size_t kRows = 2;
constexpr size_t kRowValues = 16;  // 1 x 4 x 4

std::vector<float> Values(size_t count, const char* purpose) {
  base::Rng rng = base::Rng::ForPurpose(1, purpose);
  std::vector<float> values(count);
  // Multiples of 1/64, so that the file is the same on every platform.
  for (float& value : values) value = static_cast<float>(std::round(rng.Normal() * 64.0) / 64.0);
  return values;
}

std::string Encode(const std::map<std::string, std::vector<size_t>>& shapes) {
  std::map<std::string, std::vector<float>> values;
  std::map<std::string, TensorEntry> entries;
  for (const auto& [name, shape] : shapes) {
    size_t count = 1;
    for (const size_t dimension : shape) count *= dimension;
    values[name] = Values(count, name.c_str());
    entries[name] = {DType::kF32, shape, artifact::BytesOf(values[name])};
  }
  auto encoded = artifact::EncodeTensors(entries, {{"format", "pt"}});
  HYDRA_CHECK(encoded.ok());
  return *std::move(encoded);
}

artifact::Manifest TinyManifest() {
  artifact::Manifest manifest;
  manifest.name = "tiny";
  manifest.family = "vit";
  manifest.geometry = {.layers = 2,
                       .width = 4,
                       .heads = 2,
                       .head_width = 2,
                       .mlp_width = 8,
                       .classes = kClasses,
                       .activation = "gelu",
                       .layer_norm_epsilon = 1e-12,
                       .image_height = 4,
                       .image_width = 4,
                       .channels = 1,
                       .patch_size = 2};
  manifest.members = kMembers;
  manifest.branch_layer = 1;
  manifest.layers = {{.streams = {{0, 1, 2}}, .heads = {{0, 1}}},
                     {.streams = {{0, 2}, {1}}, .heads = {{1}, {}}, .shared_mlp = false}};
  manifest.novelty = artifact::NoveltyPlan{.method = "mahalanobis", .layer = 2, .token = "cls"};
  manifest.provenance = {.base_digest = base::Sha256Hex("base"),
                         .data_digests = {{"train", base::Sha256Hex("train")}},
                         .recipe = "name: tiny\n",
                         .seed = 7,
                         .tool_version = "0.1.0",
                         .created = "2026-01-02T03:04:05Z",
                         .choices = {{"taylor", "per token absolute value"}}};
  return manifest;
}

artifact::Calibration TinyCalibration() {
  artifact::Calibration calibration;
  calibration.temperature = 1.25;
  calibration.default_score = "one_minus_confidence";
  for (const char* split : {"select", "fit", "path", "certify", "conformal"}) {
    calibration.splits[split] = {.n = 100, .digest = base::Sha256Hex(split)};
  }
  calibration.certificates = {
      {.dtype = "float32",
       .score = "one_minus_confidence",
       .score_made = "one_minus_confidence@T=1.25",
       .n = 100,
       .population = "tiny certify split",
       .cuts = {{0.125, 40, 0}, {0.25, 60, 1}, {0.5, 90, 9}}},
      {.dtype = "bfloat16",
       .score = "joint_path",
       .score_made = "max rank of two scores",
       .n = 50,
       .population = "tiny certify split",
       .cuts = {{0.5, 20, 1}, {0.75, 40, 3}},
       .rules = {{"total_entropy", {0.25, 0.5}}, {"mutual_information", {0.125, 0.125}}},
       .classes = {0, 2}}};
  calibration.conformal = {{.method = "lac", .alpha = 0.1, .quantile = 0.875, .n = 100},
                           {.method = "aps", .alpha = 0.1, .quantile = 0.9375, .n = 100}};
  calibration.reference_histograms = {
      {"total_entropy", {.edges = {0.25, 0.5}, .counts = {30, 40, 30}}}};
  calibration.batch_tolerance = {{"float32", 0.0}, {"bfloat16", 0.00390625}};
  return calibration;
}

artifact::HeadMap TinyHeadMap() {
  artifact::HeadMap map;
  map.layers = 2;
  map.members = kMembers;
  map.heads = 2;
  map.kept = {{{0, 1}, {0, 1}, {0, 1}}, {{1}, {}, {1}}};
  map.importance = {{.method = "taylor", .values = {{0.5, 0.25}, {0.125, 1.0}}},
                    {.method = "taylor", .member = 1, .values = {{1.0, -1.0}, {0.0, 2.0}}}};
  map.clusters = {{0, 1}, {1, 1}};
  map.overlap = artifact::codec::MemberOverlap(map.kept);
  map.provenance = {.selection = "taylor",
                    .data_digest = base::Sha256Hex("select"),
                    .seed = 7,
                    .choices = {{"heads", "unequal"}}};
  return map;
}

// Names and shapes of model/ensemble/bundle_weights.h.
std::map<std::string, std::vector<size_t>> TinyShapes(const artifact::Manifest& manifest) {
  const artifact::Geometry& geometry = manifest.geometry;
  const size_t width = geometry.width;
  std::map<std::string, std::vector<size_t>> shapes = {{"patch.weight", {width, 4}},
                                                       {"patch.bias", {width}},
                                                       {"prefix", {1, width}},
                                                       {"position", {5, width}}};
  const auto put = [&](const std::string& name, size_t out, size_t in) {
    shapes[name + ".weight"] = {out, in};
    shapes[name + ".bias"] = {out};
  };
  const auto put_norm = [&](const std::string& name) {
    shapes[name + ".weight"] = shapes[name + ".bias"] = {width};
  };
  for (size_t m = 0; m < manifest.members; ++m) {
    put_norm(absl::StrCat("member.", m, ".final_norm"));
    put(absl::StrCat("member.", m, ".classifier"), geometry.classes, width);
  }
  for (size_t l = 0; l < manifest.layers.size(); ++l) {
    const artifact::LayerPlan& plan = manifest.layers[l];
    const std::string layer = absl::StrCat("layers.", l, ".");
    for (size_t s = 0; s < plan.streams.size(); ++s) {
      const std::string stream = absl::StrCat(layer, "stream.", s, ".");
      const size_t inner = plan.heads[s].size() * geometry.head_width;
      put(stream + "qkv", 3 * inner, width);
      put(stream + "out", width, inner);
      put((plan.shared_mlp ? layer : stream) + "fc1", geometry.mlp_width, width);
      put((plan.shared_mlp ? layer : stream) + "fc2", width, geometry.mlp_width);
    }
    for (const char* norm : {"norm1", "norm2"}) put_norm(layer + norm);
  }
  return shapes;
}

artifact::GoldenAnswers TinyGolden(const artifact::Manifest& manifest, const std::string& weights) {
  const auto file = artifact::TensorFile::Parse(weights, "weights.safetensors");
  HYDRA_CHECK(file.ok());
  const std::vector<float> inputs = Values(kRows * kRowValues, "inputs");
  return {.members = kMembers,
          .batch = kRows,
          .classes = kClasses,
          .row_values = kRowValues,
          .inputs = inputs,
          .logits = ReferenceLogits(manifest, *file, inputs, kRows),
          .dtype = "float32",
          .tolerance = {{"float32", 1e-4}, {"bfloat16", 0.05}}};
}

}  // namespace

artifact::BundleContents TinyBundle() {
  BundleDocuments documents;
  documents.manifest = TinyManifest();
  const std::string weights = Encode(TinyShapes(documents.manifest));
  documents.calibration = TinyCalibration();
  documents.labels = {"shirt", "coat", "\xC3\xA9toile"};
  documents.image_settings = artifact::ImageSettings{.height = 4,
                                                     .width = 4,
                                                     .channels = 1,
                                                     .resize_mode = artifact::ResizeMode::kExact,
                                                     .resize_height = 5,
                                                     .resize_width = 4,
                                                     .mean = {0.5},
                                                     .stddev = {0.25}};
  documents.head_map = TinyHeadMap();
  documents.golden = TinyGolden(documents.manifest, weights);
  documents.policy_json = "{\"rules\": []}\n";
  documents.report_html = "<!doctype html><title>tiny</title>\n";
  return {.documents = std::move(documents),
          .weights = weights,
          .novelty = Encode({{"mean", {kClasses, 4}}, {"precision", {4, 4}}})};
}

}  // namespace hydra::golden
