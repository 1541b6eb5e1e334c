// The tiny bundle on disk, without a policy and with golden answers that FakePredictor gives.
#pragma once

#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "model/artifact/bundle.h"
#include "model/artifact/bundle_writer.h"
#include "server/lifecycle/model_setup.h"
#include "tests/fakes/fake_bundle.h"
#include "tests/fakes/fake_predictor.h"
#include "tests/fakes/scratch_directory.h"
#include "tests/golden/tiny_bundle.h"

namespace hydra::lifecycle {

inline runtime::PredictorShape TinyShape(const artifact::GoldenAnswers& golden) {
  return {.members = golden.members, .classes = golden.classes, .row_values = golden.row_values};
}

inline runtime::PredictorShape ShapeOf(const artifact::Bundle& bundle) {
  runtime::PredictorShape shape = TinyShape(bundle.golden());
  shape.max_tokens = bundle.manifest().geometry.max_positions;
  shape.vocabulary = bundle.manifest().geometry.vocabulary;
  return shape;
}

// The same for texts of at most 10 tokens, with the tokenizer of fake_bundle.h.
inline artifact::BundleContents ServedTinyTexts() {
  artifact::BundleContents contents = golden::TinyBundle();
  artifact::BundleDocuments& documents = contents.documents;
  documents.manifest.family = "bert";
  artifact::Geometry& geometry = documents.manifest.geometry;
  geometry.image_height = geometry.image_width = geometry.channels = geometry.patch_size = 0;
  geometry.vocabulary = fakes::kVocabulary;
  geometry.max_positions = 16;
  geometry.token_types = 1;
  documents.image_settings.reset();
  documents.text_settings = artifact::TextSettings{.max_tokens = 10};
  documents.tokenizer_json = fakes::kTokenizerJson;
  documents.policy_json.reset();
  artifact::GoldenAnswers& golden = documents.golden;
  golden.row_values = 0;
  golden.inputs.clear();
  golden.tokens = 3;
  golden.token_ids = {2, 4, 3, 2, 3, 0};
  golden.attention_mask = {1, 1, 1, 1, 1, 0};
  const runtime::PredictorShape shape{.members = golden.members,
                                      .classes = golden.classes,
                                      .max_tokens = 16,
                                      .vocabulary = fakes::kVocabulary};
  golden.logits = fakes::FakePredictor(shape).RunTexts({2, 4, 3, 2, 3}, {3, 2}).value();
  return contents;
}

// Returns the bundle's path.
inline std::string WriteServedTiny(const fakes::ScratchDirectory& scratch) {
  const std::string path = scratch.Path("bundle");
  artifact::BundleContents contents = golden::TinyBundle();
  artifact::GoldenAnswers& golden = contents.documents.golden;
  golden.logits = fakes::FakePredictor(TinyShape(golden)).Run(golden.inputs, golden.batch).value();
  contents.documents.policy_json.reset();
  const auto digest = artifact::WriteBundle(contents, path);
  EXPECT_TRUE(digest.ok()) << digest.status();
  return path;
}

inline Runtime FakeRuntime(fakes::FakePredictor::Hook hook = nullptr) {
  return {.load_predictor = [hook](const artifact::Bundle& bundle, runtime::PredictorOptions)
              -> absl::StatusOr<std::unique_ptr<runtime::Predictor>> {
            return std::make_unique<fakes::FakePredictor>(ShapeOf(bundle), hook);
          },
          .resolve_numerics = [](runtime::Numerics) { return runtime::Numerics::kFloat32; }};
}

}  // namespace hydra::lifecycle
