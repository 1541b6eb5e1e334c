#include "client/input/flags.h"

#include <iostream>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "client/input/image_source.h"
#include "client/input/tensor_source.h"
#include "client/input/text_source.h"
#include "model/base/status_macros.h"

namespace hydra::input {
namespace {

absl::StatusOr<std::unique_ptr<TensorSource>> OpenTensors(const InputFlags& flags) {
  if (!flags.idx.empty()) {
    IdxOptions options{.images = flags.idx};
    if (!flags.idx_labels.empty()) options.labels = flags.idx_labels;
    return TensorSource::OpenIdx(options);
  }
  const bool pixels = flags.dtype == "uint8";
  return TensorSource::OpenRaw(
      {.path = flags.tensors,
       .dtype = pixels ? v1::TENSOR_DATA_TYPE_UINT8 : v1::TENSOR_DATA_TYPE_FP32,
       .shape = flags.shape});
}

absl::StatusOr<std::unique_ptr<Source>> OpenTextFile(const InputFlags& flags) {
  HYDRA_ASSIGN_OR_RETURN(std::unique_ptr<TextSource> source,
                         flags.text_file == "-" ? TextSource::Read(std::cin, flags.text_file)
                                                : TextSource::OpenFile(flags.text_file));
  source->Skip(flags.skip);
  return source;
}

}  // namespace

void AddInputFlags(CLI::App& app, InputFlags& flags) {
  app.add_option("images", flags.images, "JPEG or PNG files, or folders of them");
  app.add_option("--idx", flags.idx, "IDX file of images, .gz or plain (MNIST's format)");
  app.add_option("--idx-labels", flags.idx_labels, "IDX file of their true classes");
  app.add_option("--tensors", flags.tensors, "File of raw little-endian values");
  app.add_option("--shape", flags.shape, "Of one raw tensor: channels,height,width")
      ->delimiter(',');
  app.add_option("--dtype", flags.dtype, "Of raw tensors: uint8 pixels or fp32 model input")
      ->check(CLI::IsMember({"uint8", "fp32"}))
      ->capture_default_str();
  app.add_option("--text", flags.texts, "A text; may be given again")->allow_extra_args(false);
  app.add_option("--text-file", flags.text_file, "File of texts, one a line; - for standard input");
  app.add_option("--skip", flags.skip, "Pass over the first inputs of an IDX, tensor or text file");
}

absl::StatusOr<std::unique_ptr<Source>> OpenSource(const InputFlags& flags) {
  const int kinds = !flags.images.empty() + !flags.idx.empty() + !flags.tensors.empty() +
                    !flags.texts.empty() + !flags.text_file.empty();
  if (kinds != 1) {
    return absl::InvalidArgumentError(
        "inputs: want image files, or --idx, --tensors, --text or --text-file");
  }
  if (!flags.images.empty()) return ImageSource::Create(flags.images);
  if (!flags.texts.empty()) return TextSource::Create(flags.texts);
  if (!flags.text_file.empty()) return OpenTextFile(flags);
  HYDRA_ASSIGN_OR_RETURN(std::unique_ptr<TensorSource> source, OpenTensors(flags));
  source->Skip(flags.skip);
  return source;
}

}  // namespace hydra::input
