#include "model/builder/source/labelled_data.h"

#include <ATen/ops/from_blob.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "model/base/sha256.h"
#include "model/base/status_macros.h"
#include "model/builder/source/example_list.h"
#include "model/data/idx.h"
#include "model/data/raster_set.h"
#include "model/text/tokenizer.h"

namespace hydra::builder {
namespace {

at::Tensor Indices(absl::Span<const size_t> rows) {
  return at::tensor(std::vector<int64_t>(rows.begin(), rows.end()), at::kLong);
}

std::vector<std::string> DigestRows(const at::Tensor& pixels) {
  const auto count = static_cast<size_t>(pixels.size(0));
  const size_t bytes = count == 0 ? 0 : static_cast<size_t>(pixels.numel()) / count;
  const char* data = reinterpret_cast<const char*>(pixels.data_ptr<uint8_t>());
  std::vector<std::string> digests;
  digests.reserve(count);
  for (size_t i = 0; i < count; ++i) digests.push_back(base::Sha256Hex({data + i * bytes, bytes}));
  return digests;
}

absl::StatusOr<data::IdxImages> ReadIdx(const DataSpec& spec) {
  HYDRA_ASSIGN_OR_RETURN(data::IdxImages images, data::ReadIdxImages(spec.path));
  if (spec.limit != 0 && spec.limit < images.count) {
    images.count = spec.limit;
    images.pixels.resize(images.count * images.height * images.width);
  }
  return images;
}

absl::StatusOr<at::Tensor> ReadLabels(const DataSpec& spec, size_t images) {
  if (spec.labels.empty()) return at::Tensor();
  HYDRA_ASSIGN_OR_RETURN(std::vector<uint8_t> labels, data::ReadIdxLabels(spec.labels));
  if (spec.limit != 0 && spec.limit < labels.size()) labels.resize(spec.limit);
  if (labels.size() != images) {
    return absl::InvalidArgumentError(absl::StrCat(spec.labels, ": got ", labels.size(),
                                                   " labels, want the ", images,
                                                   " of the images in ", spec.path));
  }
  return at::tensor(std::vector<int64_t>(labels.begin(), labels.end()), at::kLong);
}

absl::StatusOr<LabelledData> LoadIdx(const DataSpec& spec,
                                     const artifact::ImageSettings& settings) {
  HYDRA_ASSIGN_OR_RETURN(data::IdxImages idx, ReadIdx(spec));
  if (idx.height != settings.height || idx.width != settings.width) {
    return absl::InvalidArgumentError(absl::StrCat(spec.path, ": got images of ", idx.height, "x",
                                                   idx.width, ", want ", settings.height, "x",
                                                   settings.width));
  }
  LabelledData loaded;
  train::ExampleSet& images = loaded.examples;
  const auto count = static_cast<int64_t>(idx.count), height = static_cast<int64_t>(idx.height),
             width = static_cast<int64_t>(idx.width);
  images.pixels = at::from_blob(idx.pixels.data(), {count, 1, height, width}, at::kByte)
                      .expand({count, static_cast<int64_t>(settings.channels), height, width})
                      .clone(at::MemoryFormat::Contiguous);
  images.mean = settings.mean;
  images.stddev = settings.stddev;
  images.rescale_factor = settings.rescale_factor;
  HYDRA_ASSIGN_OR_RETURN(images.labels, ReadLabels(spec, idx.count));
  loaded.digests = DigestRows(images.pixels);
  return loaded;
}

absl::StatusOr<LabelledData> LoadFiles(const data::ExampleList& list,
                                       const artifact::ImageSettings& settings) {
  HYDRA_ASSIGN_OR_RETURN(data::RasterSet rasters, data::LoadRasters(list, settings, {}));
  LabelledData loaded{.examples = {.mean = settings.mean,
                                   .stddev = settings.stddev,
                                   .rescale_factor = settings.rescale_factor},
                      .digests = std::move(rasters.digests),
                      .label_names = std::move(rasters.class_names)};
  loaded.examples.pixels =
      at::from_blob(rasters.pixels.data(),
                    {static_cast<int64_t>(rasters.count), static_cast<int64_t>(rasters.channels),
                     static_cast<int64_t>(rasters.height), static_cast<int64_t>(rasters.width)},
                    at::kByte)
          .clone();
  if (!rasters.labels.empty()) loaded.examples.labels = Indices(rasters.labels);
  return loaded;
}

// `list` holds at least one example.
bool HoldsTexts(const data::ExampleList& list) { return list.examples.front().image.empty(); }

absl::StatusOr<LabelledData> LoadTexts(const data::ExampleList& list, const std::string& path,
                                       const InputSettings& settings) {
  HYDRA_ASSIGN_OR_RETURN(const text::Tokenizer tokenizer,
                         text::Tokenizer::Create(*settings.tokenizer_json, *settings.text));
  LabelledData loaded{.label_names = list.class_names};
  std::vector<int64_t> labels;
  for (size_t i = 0; i < list.examples.size(); ++i) {
    const data::Example& example = list.examples[i];
    absl::StatusOr<text::TokenizedText> tokens = tokenizer.Encode(example.text);
    if (!tokens.ok()) {
      return absl::Status(tokens.status().code(),
                          absl::StrCat(path, ": example ", i + 1, ": ", tokens.status().message()));
    }
    loaded.examples.tokens.push_back(std::move(tokens->ids));
    loaded.digests.push_back(base::Sha256Hex(example.text));
    if (example.label.has_value()) labels.push_back(static_cast<int64_t>(*example.label));
  }
  if (!labels.empty()) loaded.examples.labels = at::tensor(labels, at::kLong);
  return loaded;
}

}  // namespace

absl::StatusOr<LabelledData> LoadData(const DataSpec& spec, const InputSettings& settings) {
  const auto wrong = [&](const char* got, const char* want) {
    return absl::InvalidArgumentError(
        absl::StrCat(spec.path, ": got ", got, ", want ", want, ", which the network reads"));
  };
  if (spec.kind == DataKind::kIdx) {
    return settings.image.has_value() ? LoadIdx(spec, *settings.image) : wrong("images", "texts");
  }
  HYDRA_ASSIGN_OR_RETURN(const data::ExampleList list, ListExamples(spec));
  if (HoldsTexts(list)) {
    return settings.text.has_value() ? LoadTexts(list, spec.path, settings)
                                     : wrong("texts", "images");
  }
  return settings.image.has_value() ? LoadFiles(list, *settings.image) : wrong("images", "texts");
}

absl::StatusOr<artifact::ImageSettings> NativeSettings(const DataSpec& spec, size_t channels) {
  if (spec.kind != DataKind::kIdx) {
    HYDRA_ASSIGN_OR_RETURN(const data::ExampleList list, ListExamples(spec));
    return data::SettingsOfFirst(list, channels, {});
  }
  HYDRA_ASSIGN_OR_RETURN(const data::IdxImages idx, ReadIdx(spec));
  return artifact::ImageSettings{.height = idx.height,
                                 .width = idx.width,
                                 .channels = 1,
                                 .resize_height = idx.height,
                                 .resize_width = idx.width,
                                 .mean = {0.0},
                                 .stddev = {1.0}};
}

absl::Status MatchLabels(const std::vector<std::string>& classes, const LabelMatch& match,
                         LabelledData& data) {
  if (match.rule != "name" && match.rule != "order") {
    return absl::InvalidArgumentError(
        absl::StrCat("match_labels: got \"", match.rule, "\", want name or order"));
  }
  const int64_t largest = data.examples.labels.max().item<int64_t>();
  if (data.label_names.empty()) {
    if (largest < static_cast<int64_t>(classes.size())) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat(match.what, ": got label ", largest, ", want 0..", classes.size() - 1));
  }
  if (match.rule == "order") {
    if (data.label_names.size() == classes.size()) {
      data.label_names = classes;
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(absl::StrCat(match.what, ": got ", data.label_names.size(),
                                                   " classes, want the network's ",
                                                   classes.size()));
  }
  std::vector<int64_t> index;
  for (const std::string& name : data.label_names) {
    const auto found = std::find(classes.begin(), classes.end(), name);
    if (found == classes.end()) {
      return absl::InvalidArgumentError(absl::StrCat(match.what, ": got the class \"", name,
                                                     "\", want one of ",
                                                     absl::StrJoin(classes, ", ")));
    }
    index.push_back(found - classes.begin());
  }
  data.examples.labels = at::tensor(index, at::kLong).index_select(0, data.examples.labels);
  data.label_names = classes;
  return absl::OkStatus();
}

std::vector<size_t> LabelsOf(const LabelledData& data, absl::Span<const size_t> rows) {
  const int64_t* labels = data.examples.labels.data_ptr<int64_t>();
  std::vector<size_t> selected;
  for (size_t row : rows) selected.push_back(static_cast<size_t>(labels[row]));
  return selected;
}

LabelledData SelectRows(const LabelledData& data, absl::Span<const size_t> rows) {
  LabelledData selected{.examples = train::Select(data.examples, rows),
                        .digests = {},
                        .label_names = data.label_names};
  for (size_t row : rows) selected.digests.push_back(data.digests[row]);
  return selected;
}

}  // namespace hydra::builder
