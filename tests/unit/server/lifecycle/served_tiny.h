// The tiny bundle on disk, without a policy and with golden answers that FakePredictor gives.
#pragma once

#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "model/artifact/bundle.h"
#include "model/artifact/bundle_writer.h"
#include "server/lifecycle/model_setup.h"
#include "tests/fakes/fake_predictor.h"
#include "tests/fakes/scratch_directory.h"
#include "tests/golden/tiny_bundle.h"

namespace hydra::lifecycle {

inline runtime::PredictorShape TinyShape(const artifact::GoldenAnswers& golden) {
  return {.members = golden.members, .classes = golden.classes, .row_values = golden.row_values};
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
            return std::make_unique<fakes::FakePredictor>(TinyShape(bundle.golden()), hook);
          },
          .resolve_numerics = [](runtime::Numerics) { return runtime::Numerics::kFloat32; }};
}

}  // namespace hydra::lifecycle
