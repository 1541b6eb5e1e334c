#include "model/artifact/codec/preprocess_codec.h"

#include <functional>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/golden/tiny_bundle.h"
#include "tests/unit/model/artifact/codec/json_corruption.h"

namespace hydra::artifact::codec {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

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

TEST(PreprocessCodecTest, ParseImageSettings_OptionalKeys_RoundTripAndDefaultToTheOldMeaning) {
  ImageSettings settings = *Tiny().image_settings;
  const std::string plain = EncodeImageSettings(settings).value();
  EXPECT_THAT(plain, Not(HasSubstr("crop")));
  EXPECT_THAT(plain, Not(HasSubstr("transparent_pixels")));
  EXPECT_EQ(ParseImageSettings(plain, Tiny().manifest)->crop, CropMode::kInside);
  settings.crop = CropMode::kZeroPadded;
  settings.transparent = TransparentPixels::kWhite;
  settings.resize_height = 1;
  for (const ResampleFilter filter : {ResampleFilter::kNearest, ResampleFilter::kLanczos,
                                      ResampleFilter::kBox, ResampleFilter::kHamming}) {
    settings.filter = filter;
    const auto parsed = ParseImageSettings(EncodeImageSettings(settings).value(), Tiny().manifest);
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(parsed->crop, CropMode::kZeroPadded);
    EXPECT_EQ(parsed->transparent, TransparentPixels::kWhite);
    EXPECT_EQ(parsed->resize_height, 1u);
    EXPECT_EQ(parsed->filter, filter);
  }
}

TEST(PreprocessCodecTest, ParseImageSettings_OptionalKeyCorrupted_NamesIt) {
  ImageSettings settings = *Tiny().image_settings;
  settings.crop = CropMode::kZeroPadded;
  settings.transparent = TransparentPixels::kWhite;
  std::string text = EncodeImageSettings(settings).value();
  const auto error = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return std::string(ParseImageSettings(changed, Tiny().manifest).status().message());
  };
  EXPECT_THAT(error("\"zero_padded\"", "\"mirrored\""), HasSubstr("image.json: crop"));
  EXPECT_THAT(error("\"white\"", "7"), HasSubstr("image.json: transparent_pixels"));
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
