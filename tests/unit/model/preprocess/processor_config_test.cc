#include "model/preprocess/processor_config.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hydra::preprocess {
namespace {

using artifact::CropMode;
using artifact::Geometry;
using artifact::ImageSettings;
using artifact::ResampleFilter;
using artifact::ResizeMode;
using artifact::TransparentPixels;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Geometry kColour{.image_height = 64, .image_width = 64, .channels = 3};
const Geometry kGrey{.image_height = 28, .image_width = 28, .channels = 1};

ImageSettings Parse(const std::string& json, const Geometry& geometry = kColour) {
  auto settings = ParseProcessorConfig(json, "vit", geometry);
  EXPECT_TRUE(settings.ok()) << settings.status();
  return settings.value_or(ImageSettings{});
}

std::string Refusal(const std::string& json) {
  return ParseProcessorConfig(json, "vit", kColour).status().ToString();
}

TEST(ProcessorConfigTest, EmptyFileOfEachFamily_HasTheReferencesDefaults) {
  const auto of = [](const char* family) {
    return ParseProcessorConfig("{}", family, kColour).value();
  };
  EXPECT_EQ(of("vit").resize_height, 224u);
  EXPECT_EQ(of("vit").filter, ResampleFilter::kBilinear);
  EXPECT_EQ(of("deit").resize_height, 256u);
  EXPECT_EQ(of("deit").height, 224u);
  EXPECT_THAT(of("deit").mean, Each(0.5));
  EXPECT_EQ(of("deit").transparent, TransparentPixels::kShown);
  for (const char* family : {"dinov2", "dinov2_with_registers", "clip"}) {
    EXPECT_EQ(of(family).resize_mode, ResizeMode::kShortestEdge);
    EXPECT_EQ(of(family).shortest_edge, 224u);
    EXPECT_EQ(of(family).filter, ResampleFilter::kBicubic);
    EXPECT_EQ(of(family).transparent, TransparentPixels::kWhite);
    EXPECT_THAT(of(family).stddev, ElementsAre(0.26862954, 0.26130258, 0.27577711));
  }
  EXPECT_EQ(ParseProcessorConfig("{}", "vision_text_dual_encoder", kColour).status().code(),
            absl::StatusCode::kUnimplemented);
}

TEST(ProcessorConfigTest, TypeByAnyOfItsNames_IsFound) {
  for (const char* type : {"CLIPImageProcessor", "CLIPImageProcessorFast", "CLIPImageProcessorPil",
                           "CLIPFeatureExtractor"}) {
    const std::string quoted = std::string("\"") + type + "\"";
    EXPECT_EQ(Parse("{\"image_processor_type\": " + quoted + "}").shortest_edge, 224u) << type;
    EXPECT_EQ(Parse("{\"feature_extractor_type\": " + quoted + "}").shortest_edge, 224u) << type;
  }
  EXPECT_EQ(Parse(R"({"image_processor": {"image_processor_type": "DeiTImageProcessor"}})").height,
            224u);
  EXPECT_THAT(Refusal(R"({"image_processor_type": "SwinImageProcessor"})"),
              AllOf(HasSubstr("UNIMPLEMENTED"), HasSubstr("got SwinImageProcessor, want ViT")));
  EXPECT_THAT(Refusal(R"({"image_processor_type": "CLIP"})"), HasSubstr("got CLIP"));
}

TEST(ProcessorConfigTest, SizeInEveryForm_IsRead) {
  EXPECT_EQ(Parse(R"({"size": 32})").resize_width, 32u);
  EXPECT_EQ(Parse(R"({"size": [32, 48]})").resize_width, 48u);
  EXPECT_EQ(Parse(R"({"size": {"height": 32, "width": 48}})").resize_height, 32u);
  EXPECT_EQ(Parse(R"({"size": null})").resize_height, 224u);
  const std::string clip = R"({"image_processor_type": "CLIPImageProcessor", "crop_size": 20, )";
  EXPECT_EQ(Parse(clip + R"("size": 32})").shortest_edge, 32u);
  EXPECT_EQ(Parse(clip + R"("size": 32, "default_to_square": true})").resize_height, 32u);
  EXPECT_EQ(Parse(clip + R"("size": {"shortest_edge": 32}})").width, 20u);
}

TEST(ProcessorConfigTest, CropLargerThanTheResize_IsPadded) {
  const std::string deit = R"({"image_processor_type": "DeiTImageProcessor", "size": 20, )";
  EXPECT_EQ(Parse(deit + R"("crop_size": 20})").crop, CropMode::kInside);
  EXPECT_EQ(Parse(deit + R"("crop_size": [20, 21]})").crop, CropMode::kZeroPadded);
  EXPECT_EQ(Parse(deit + R"("crop_size": 9, "do_resize": false})").crop, CropMode::kZeroPadded);
  EXPECT_EQ(Parse(deit + R"("do_center_crop": false})").height, 20u);
}

TEST(ProcessorConfigTest, StepsTurnedOff_BecomeNeutralNumbers) {
  EXPECT_EQ(Parse(R"({"do_rescale": false, "rescale_factor": 0.5})").rescale_factor, 1.0);
  EXPECT_THAT(Parse(R"({"do_normalize": false, "image_mean": [9, 9, 9]})").mean, Each(0.0));
  EXPECT_THAT(Parse(R"({"do_normalize": false})").stddev, Each(1.0));
  EXPECT_THAT(Parse(R"({"image_mean": 0.25})").mean, ElementsAre(0.25, 0.25, 0.25));
  const ImageSettings as_is = Parse(R"({"do_resize": false})");
  EXPECT_EQ(as_is.resize_mode, ResizeMode::kNone);
  EXPECT_EQ(as_is.height, 64u);
}

TEST(ProcessorConfigTest, WhatCannotBeRepresented_IsRefusedByName) {
  EXPECT_THAT(Refusal(R"({"size": {"shortest_edge": 9, "longest_edge": 12}})"),
              HasSubstr("UNIMPLEMENTED: preprocessor_config.json: size: got"));
  EXPECT_THAT(Refusal(R"({"size": {"shortest_edge": 9}})"), HasSubstr("do_center_crop"));
  EXPECT_THAT(Refusal(R"({"do_pad": true})"), HasSubstr("do_pad: got true"));
  EXPECT_THAT(Refusal(R"({"rescale_offset": true})"), HasSubstr("rescale_offset: got true"));
  EXPECT_THAT(Refusal(R"({"do_center_crop": true})"), HasSubstr("crop_size: got nothing"));
  EXPECT_THAT(Refusal(R"({"crop_size": {"shortest_edge": 9}})"), HasSubstr("crop_size: got"));
}

TEST(ProcessorConfigTest, MalformedValue_IsNamed) {
  EXPECT_THAT(Refusal("[]"), HasSubstr("not a JSON object"));
  EXPECT_THAT(Refusal(R"({"resample": 6})"), HasSubstr("resample: got 6, want Pillow's code"));
  EXPECT_THAT(Refusal(R"({"resample": "bicubic"})"), HasSubstr("resample: got \"bicubic\""));
  EXPECT_THAT(Refusal(R"({"size": 0})"), HasSubstr("size: got 0"));
  EXPECT_THAT(Refusal(R"({"size": 99999})"), HasSubstr("size: got 99999"));
  EXPECT_THAT(Refusal(R"({"size": 18446744073709551615})"), HasSubstr("size: got 184467"));
  EXPECT_THAT(Refusal(R"({"rescale_factor": -1})"), HasSubstr("rescale_factor: got -1"));
  EXPECT_THAT(Refusal(R"({"image_std": [1, 0, 1]})"), HasSubstr("image_std: got [1,0,1]"));
  EXPECT_THAT(Refusal(R"({"image_mean": [1, 1]})"), HasSubstr("want 3 numbers"));
  EXPECT_THAT(Refusal(R"({"do_resize": 1})"), HasSubstr("do_resize: got 1, want true or false"));
}

TEST(ProcessorConfigTest, OneChannel_HasTheNetworksSizeAndNoCrop) {
  const ImageSettings settings =
      Parse(R"({"image_processor_type": "DeiTImageProcessor", "image_mean": [0.3]})", kGrey);
  EXPECT_EQ(settings.resize_height, 28u);
  EXPECT_EQ(settings.height, 28u);
  EXPECT_THAT(settings.mean, ElementsAre(0.3));
  EXPECT_THAT(settings.stddev, ElementsAre(0.5));
}

TEST(ProcessorConfigTest, NoFile_TakesMeanAndStddevOfTheConfig) {
  const auto settings =
      SettingsWithoutProcessor(R"({"image_std": [0.2], "do_pad": true, "size": 3})", kGrey);
  ASSERT_TRUE(settings.ok()) << settings.status();
  EXPECT_EQ(settings->height, 28u);
  EXPECT_THAT(settings->mean, ElementsAre(0.5));
  EXPECT_THAT(settings->stddev, ElementsAre(0.2));
}

TEST(ProcessorConfigTest, WrittenFile_IsReadAsTheSameSettings) {
  for (const char* json :
       {R"({})", R"({"do_resize": false})", R"({"do_rescale": false, "resample": 1})",
        R"({"image_processor_type": "DeiTImageProcessor", "size": 20, "crop_size": [21, 22]})",
        R"({"image_processor_type": "CLIPImageProcessor"})",
        R"({"image_processor_type": "BitImageProcessor", "do_resize": false, "crop_size": 30})"}) {
    for (const char* family : {"vit", "deit", "dinov2", "clip"}) {
      const ImageSettings settings = Parse(json);
      const std::string written = FormatProcessorConfig(settings, family);
      const ImageSettings again = Parse(written);
      EXPECT_EQ(FormatProcessorConfig(again, family), written);
      EXPECT_EQ(again.height, settings.height) << written;
      EXPECT_EQ(again.width, settings.width) << written;
      EXPECT_EQ(again.crop, settings.crop) << written;
      EXPECT_EQ(again.resize_mode, settings.resize_mode) << written;
      EXPECT_EQ(again.rescale_factor, settings.rescale_factor) << written;
    }
  }
}

}  // namespace
}  // namespace hydra::preprocess
