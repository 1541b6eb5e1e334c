// A dataset in memory, as the steps of the builder use it.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/artifact/image_settings.h"
#include "model/builder/source/data_spec.h"
#include "model/builder/source/input_settings.h"
#include "model/train/example_set.h"

namespace hydra::builder {

struct LabelledData {
  train::ExampleSet examples;            // labels are undefined if the data has none
  std::vector<std::string> digests;      // sha256 of each item's pixels or text
  std::vector<std::string> label_names;  // from the data; empty: the data has numbers only
  bool labelled() const { return examples.labels.defined(); }
};

// Reads a dataset: images take the size, the number of channels and the normalisation of
// `settings`, texts become the ids of its tokenizer.  Errors: as the reader of its kind;
// INVALID_ARGUMENT an example that `settings` do not admit, or images for a network of texts.
absl::StatusOr<LabelledData> LoadData(const DataSpec& spec, const InputSettings& settings);

// Settings that take the size of the dataset's (first) image as it is, with mean 0 and stddev 1.
// `channels` holds for PNG and JPEG files; IDX images have one.  Errors: as the reader.
absl::StatusOr<artifact::ImageSettings> NativeSettings(const DataSpec& spec, size_t channels);

struct LabelMatch {
  std::string what;           // names the data in errors
  std::string rule = "name";  // or "order"
};

// Makes the labels of `data` indices into `classes`.  Where the data names its classes: by name, or
// by order, which takes the data's classes as sorted for `classes` under other names (folders of
// ImageNet).  Else they must be indices already.
// Errors: INVALID_ARGUMENT another rule, a class that is not in `classes`, or another number.
absl::Status MatchLabels(const std::vector<std::string>& classes, const LabelMatch& match,
                         LabelledData& data);

// Label index of each row.
std::vector<size_t> LabelsOf(const LabelledData& data, absl::Span<const size_t> rows);

// These rows alone.
LabelledData SelectRows(const LabelledData& data, absl::Span<const size_t> rows);

}  // namespace hydra::builder
