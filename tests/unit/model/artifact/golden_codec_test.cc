#include "model/artifact/golden_codec.h"

#include <cmath>
#include <functional>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/golden/tiny_bundle.h"
#include "tests/unit/model/artifact/codec/json_corruption.h"

namespace hydra::artifact {
namespace {

using ::testing::HasSubstr;

const BundleDocuments& Tiny() {
  static const BundleDocuments documents = golden::TinyBundle().documents;
  return documents;
}

std::string ErrorAfter(const std::function<void(GoldenAnswers&)>& change) {
  GoldenAnswers golden = Tiny().golden;
  change(golden);
  const auto tensors = EncodeGoldenTensors(golden, Tiny().manifest);
  if (!tensors.ok()) return std::string(tensors.status().message());
  return std::string(
      ParseGolden(EncodeGolden(golden).value(), *tensors, Tiny().manifest).status().message());
}

TEST(GoldenCodecTest, Parse_AnyFieldCorrupted_NamesIt) {
  const CorruptionExpectations expected{.file = "golden.json", .open_objects = {"tolerance"}};
  const std::string tensors = EncodeGoldenTensors(Tiny().golden, Tiny().manifest).value();
  ExpectEveryCorruptionFound(EncodeGolden(Tiny().golden).value(), expected,
                             [&](const std::string& text) {
                               return ParseGolden(text, tensors, Tiny().manifest).status();
                             });
}

TEST(GoldenCodecTest, Parse_ValuesNoComparisonCanUse_AreRefused) {
  EXPECT_THAT(ErrorAfter([](GoldenAnswers& g) { g.logits[4] = NAN; }),
              HasSubstr("golden.safetensors: logits: value 4 is nan"));
  EXPECT_THAT(ErrorAfter([](GoldenAnswers& g) { g.inputs[3] = INFINITY; }),
              HasSubstr("golden.safetensors: inputs: value 3 is inf"));
  EXPECT_THAT(ErrorAfter([](GoldenAnswers& g) { g.logits.assign(g.logits.size(), 0.0f); }),
              HasSubstr("logits: all 0"));
  EXPECT_THAT(ErrorAfter([](GoldenAnswers& g) { g.tolerance.erase("float32"); }),
              HasSubstr("golden.json: tolerance: missing key float32"));
  EXPECT_THAT(ErrorAfter([](GoldenAnswers& g) { g.logits.pop_back(); }),
              HasSubstr("logits: got 68 bytes, want 18 values"));
}

TEST(GoldenCodecTest, Parse_TensorsOfAnotherBatch_AreRefused) {
  GoldenAnswers other = Tiny().golden;
  other.batch = 1;
  EXPECT_THAT(
      ParseGolden(EncodeGolden(other).value(),
                  EncodeGoldenTensors(Tiny().golden, Tiny().manifest).value(), Tiny().manifest)
          .status()
          .message(),
      HasSubstr("golden.safetensors: logits: got shape [3, 2, 3], want [3, 1, 3]"));
}

}  // namespace
}  // namespace hydra::artifact
