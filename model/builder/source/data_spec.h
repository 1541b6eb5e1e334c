// The text that names a dataset.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace hydra::builder {

enum class DataKind { kIdx, kImageFolder, kCsv, kJsonLines };

struct DataSpec {
  DataKind kind = DataKind::kIdx;
  std::string path;    // of idx: the images
  std::string labels;  // of idx; empty: none
  size_t limit = 0;    // first items only; 0: all

  bool operator==(const DataSpec&) const = default;
};

// "idx:IMAGES,LABELS", "idx:IMAGES", "image_folder:DIR", "csv:FILE", "jsonl:FILE", each optionally
// with ";limit=N". Errors: INVALID_ARGUMENT with the text and what was wanted.
absl::StatusOr<DataSpec> ParseDataSpec(absl::string_view text);

// The text that ParseDataSpec reads as `spec`.
std::string FormatDataSpec(const DataSpec& spec);

// "NAME=SPEC", as out-of-distribution sets are given.  Errors: as ParseDataSpec.
absl::StatusOr<std::pair<std::string, DataSpec>> ParseNamedDataSpec(absl::string_view text);

}  // namespace hydra::builder
