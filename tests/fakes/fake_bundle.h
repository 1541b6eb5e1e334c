// What a server knows about a small bundle, made without files.
#pragma once

#include <cstddef>
#include <string>

#include "server/policy/served_bundle.h"

namespace hydra::fakes {

// Images of 1 x 2 x 2, three classes, two layers of four heads; certificate tables in float32 of
// one_minus_confidence (the default score) and total_entropy, one LAC quantile at alpha 0.1.  On
// the certify split (n = 1000) a cut at 0.1 accepts 400 rows without an error, 0.2 accepts 700 with
// 7, 0.5 accepts 900 with 45, 0.9 accepts all with 120.
inline policy::ServedBundle FakeServedBundle(size_t members = 3) {
  policy::ServedBundle bundle;
  artifact::Manifest& manifest = bundle.manifest;
  manifest.name = "fake";
  manifest.family = "vit";
  manifest.geometry = {.layers = 2,
                       .width = 8,
                       .heads = 4,
                       .head_width = 2,
                       .mlp_width = 16,
                       .classes = 3,
                       .activation = "gelu",
                       .layer_norm_epsilon = 1e-6,
                       .image_height = 2,
                       .image_width = 2,
                       .channels = 1,
                       .patch_size = 1};
  manifest.members = members;
  manifest.branch_layer = 1;
  manifest.provenance = {.base_digest = std::string(64, 'b'), .seed = 7, .tool_version = "0.1"};
  artifact::LayerPlan trunk{.streams = {{}}, .heads = {{0, 1, 2, 3}}};
  artifact::LayerPlan branched;
  for (size_t m = 0; m < members; ++m) {
    trunk.streams[0].push_back(m);
    branched.streams.push_back({m});
    branched.heads.push_back(m == 0 ? std::vector<size_t>{0, 1} : std::vector<size_t>{1, 2});
  }
  manifest.layers = {trunk, branched};
  artifact::Calibration& calibration = bundle.calibration;
  calibration.default_score = "one_minus_confidence";
  calibration.splits["certify"] = {.n = 1000, .digest = std::string(64, 'c')};
  for (const char* score : {"one_minus_confidence", "total_entropy"}) {
    calibration.certificates.push_back(
        {.dtype = "float32",
         .score = score,
         .score_made = std::string(score) + "@T=1",
         .n = 1000,
         .delta = 0.05,
         .population = "the certify split",
         .cuts = {{0.1, 400, 0}, {0.2, 700, 7}, {0.5, 900, 45}, {0.9, 1000, 120}}});
  }
  calibration.conformal = {{.method = "lac", .alpha = 0.1, .quantile = 0.8, .n = 500}};
  bundle.labels = {"cat", "dog", "owl"};
  bundle.image_settings = artifact::ImageSettings{.height = 2,
                                                  .width = 2,
                                                  .channels = 1,
                                                  .resize_mode = artifact::ResizeMode::kExact,
                                                  .resize_height = 2,
                                                  .resize_width = 2,
                                                  .mean = {0.5},
                                                  .stddev = {0.5}};
  bundle.digest = std::string(64, 'd');
  bundle.weights_digest = std::string(64, 'e');
  bundle.serving_dtype = "float32";
  return bundle;
}

// Words "play", "music", "stop", "now" and the ending "##ing" as ids 4 to 8; [PAD], [UNK], [CLS],
// [SEP] are 0 to 3.  "play music" becomes 2, 4, 5, 3.
inline constexpr char kTokenizerJson[] = R"({
  "added_tokens": [
    {"id": 0, "content": "[PAD]", "single_word": false, "lstrip": false, "rstrip": false,
     "normalized": false, "special": true},
    {"id": 1, "content": "[UNK]", "single_word": false, "lstrip": false, "rstrip": false,
     "normalized": false, "special": true},
    {"id": 2, "content": "[CLS]", "single_word": false, "lstrip": false, "rstrip": false,
     "normalized": false, "special": true},
    {"id": 3, "content": "[SEP]", "single_word": false, "lstrip": false, "rstrip": false,
     "normalized": false, "special": true}],
  "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                 "strip_accents": null, "lowercase": true},
  "pre_tokenizer": {"type": "BertPreTokenizer"},
  "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
  "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "play": 4, "music": 5,
                      "stop": 6, "now": 7, "##ing": 8}}})";
inline constexpr size_t kVocabulary = 9;

// The same for texts of at most 8 tokens.
inline policy::ServedBundle FakeTextBundle() {
  policy::ServedBundle bundle = FakeServedBundle();
  bundle.manifest.family = "bert";
  artifact::Geometry& geometry = bundle.manifest.geometry;
  geometry.image_height = geometry.image_width = geometry.channels = geometry.patch_size = 0;
  geometry.vocabulary = kVocabulary;
  geometry.max_positions = 16;
  bundle.image_settings.reset();
  bundle.tokenizer = text::Tokenizer::Create(kTokenizerJson, {.max_tokens = 8}).value();
  return bundle;
}

}  // namespace hydra::fakes
