#include "model/preprocess/processor_defaults.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace hydra::preprocess {
namespace {

using artifact::ResampleFilter;

constexpr Colour kClipMean{0.48145466, 0.4578275, 0.40821073};
constexpr Colour kClipStddev{0.26862954, 0.26130258, 0.27577711};

constexpr TargetSize kSquare224{224, 224, 0};
constexpr Processor kViT{.type = "ViTImageProcessor",
                         .size = kSquare224,
                         .crop_size = {},
                         .filter = ResampleFilter::kBilinear};
constexpr Processor kDeiT{
    .type = "DeiTImageProcessor", .size = {256, 256, 0}, .crop_size = kSquare224, .crops = true};
constexpr Processor kBit{.type = "BitImageProcessor",
                         .size = {0, 0, 224},
                         .crop_size = kSquare224,
                         .crops = true,
                         .converts_to_rgb = true,
                         .whole_number_is_square = false,
                         .mean = kClipMean,
                         .stddev = kClipStddev};
constexpr Processor kClip{.type = "CLIPImageProcessor",
                          .size = {0, 0, 224},
                          .crop_size = kSquare224,
                          .crops = true,
                          .converts_to_rgb = true,
                          .whole_number_is_square = false,
                          .mean = kClipMean,
                          .stddev = kClipStddev};
constexpr absl::string_view kSupported =
    "want ViTImageProcessor, DeiTImageProcessor, BitImageProcessor or CLIPImageProcessor";

absl::Status Refuse(absl::string_view key, absl::string_view value) {
  return absl::UnimplementedError(
      absl::StrCat("preprocessor_config.json: ", key, ": got ", value, ", ", kSupported));
}

}  // namespace

bool Crops(const artifact::ImageSettings& settings) {
  switch (settings.resize_mode) {
    case artifact::ResizeMode::kNone:
      return settings.crop == artifact::CropMode::kZeroPadded;
    case artifact::ResizeMode::kExact:
      return settings.resize_height != settings.height || settings.resize_width != settings.width;
    case artifact::ResizeMode::kShortestEdge:
      break;
  }
  return true;
}

absl::StatusOr<Processor> ProcessorOfType(absl::string_view type) {
  absl::string_view name = type;
  if (!absl::ConsumeSuffix(&name, "Fast")) absl::ConsumeSuffix(&name, "Pil");
  const bool known_suffix = absl::ConsumeSuffix(&name, "ImageProcessor") ||
                            absl::ConsumeSuffix(&name, "FeatureExtractor");
  for (const Processor& known : {kViT, kDeiT, kBit, kClip}) {
    if (known_suffix && name == absl::StripSuffix(known.type, "ImageProcessor")) return known;
  }
  return Refuse("image_processor_type", type);
}

absl::StatusOr<Processor> ProcessorOfFamily(absl::string_view family) {
  if (family == "vit") return kViT;
  if (family == "deit") return kDeiT;
  if (absl::StartsWith(family, "dinov2")) return kBit;
  if (absl::StartsWith(family, "clip")) return kClip;
  return Refuse("image_processor_type", absl::StrCat("nothing for model_type ", family));
}

// BiT's does every step in every release of the reference; ViT's crops in later ones only.
absl::string_view TypeToWrite(absl::string_view family, const artifact::ImageSettings& settings) {
  if (family == "deit") return kDeiT.type;
  if (absl::StartsWith(family, "clip")) return kClip.type;
  return family == "vit" && !Crops(settings) ? kViT.type : kBit.type;
}

}  // namespace hydra::preprocess
