#include "model/artifact/codec/preprocess_codec.h"

#include <functional>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/golden/tiny_bundle.h"
#include "tests/unit/model/artifact/codec/json_corruption.h"

namespace hydra::artifact::codec {
namespace {

using ::testing::HasSubstr;

const BundleDocuments& Tiny() {
  static const BundleDocuments documents = golden::TinyBundle().documents;
  return documents;
}

std::string ErrorAfter(const std::function<void(ImageSettings&)>& change) {
  ImageSettings settings = *Tiny().image_settings;
  change(settings);
  const std::string text = EncodeImageSettings(settings).value();
  return std::string(ParseImageSettings(text, Tiny().manifest).status().message());
}

TEST(PreprocessCodecTest, ParseImageSettings_AnyFieldCorrupted_NamesIt) {
  const CorruptionExpectations expected{.file = "preprocess/image.json",
                                        .signed_numbers = {"mean[]"}};
  ExpectEveryCorruptionFound(
      EncodeImageSettings(*Tiny().image_settings).value(), expected,
      [](const std::string& text) { return ParseImageSettings(text, Tiny().manifest).status(); });
}

TEST(PreprocessCodecTest, ParseImageSettings_EveryResizeMode_RoundTrips) {
  for (const ResizeMode mode : {ResizeMode::kNone, ResizeMode::kExact, ResizeMode::kShortestEdge}) {
    ImageSettings settings = *Tiny().image_settings;
    settings.resize_mode = mode;
    settings.shortest_edge = 6;
    settings.filter = ResampleFilter::kBicubic;
    const std::string text = EncodeImageSettings(settings).value();
    const auto parsed = ParseImageSettings(text, Tiny().manifest);
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(EncodeImageSettings(*parsed).value(), text);
    EXPECT_EQ(parsed->resize_mode, mode);
  }
}

TEST(PreprocessCodecTest, ParseImageSettings_OtherSizeThanTheNetwork_IsRefused) {
  EXPECT_THAT(ErrorAfter([](ImageSettings& s) { s.height = 5; }),
              HasSubstr("height: got 5, want 4..4"));
  EXPECT_THAT(ErrorAfter([](ImageSettings& s) { s.channels = 3; }), HasSubstr("channels: got 3"));
  EXPECT_THAT(ErrorAfter([](ImageSettings& s) { s.resize_height = 3; }),
              HasSubstr("resize_height: got 3, want 4..16384"));
  EXPECT_THAT(ErrorAfter([](ImageSettings& s) { s.mean.push_back(0.0); }),
              HasSubstr("mean: got 2 items, want 1"));
  EXPECT_THAT(ErrorAfter([](ImageSettings& s) { s.stddev = {0.0}; }), HasSubstr("stddev[0]"));
  EXPECT_THAT(ErrorAfter([](ImageSettings& s) {
                s.resize_mode = ResizeMode::kShortestEdge;
                s.shortest_edge = 3;
              }),
              HasSubstr("shortest_edge: got 3, want 4..16384"));
}

TEST(PreprocessCodecTest, ParseLabels_WrongNumberOrEmpty_IsRefused) {
  EXPECT_EQ(ParseLabels(EncodeLabels(Tiny().labels).value(), Tiny().manifest).value(),
            Tiny().labels);
  EXPECT_THAT(ParseLabels(R"({"labels": ["a", "b"]})", Tiny().manifest).status().message(),
              HasSubstr("labels.json: labels: got 2 items, want 3"));
  EXPECT_THAT(ParseLabels(R"({"labels": ["a", "", "b"]})", Tiny().manifest).status().message(),
              HasSubstr("labels[1]: got an empty text"));
}

}  // namespace
}  // namespace hydra::artifact::codec
