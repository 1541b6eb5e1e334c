// Gathers the rows of a table into a list of examples.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/data/examples.h"

namespace hydra::data {

struct TableRow {
  std::optional<std::string> image;
  std::optional<std::string> text;
  std::optional<std::string> label;
};

// Not thread-safe.
class TableBuilder {
 public:
  explicit TableBuilder(std::string path) : path_(std::move(path)) {}

  // Errors: INVALID_ARGUMENT and RESOURCE_EXHAUSTED, as ReadCsv (table.h).
  absl::Status Add(size_t line, TableRow row);

  // Numbers the labels.  Errors: INVALID_ARGUMENT no rows.
  absl::StatusOr<ExampleList> Finish() &&;

 private:
  const std::string path_;
  std::vector<Example> examples_;
  std::vector<std::string> labels_;  // one per example, or none at all
};

}  // namespace hydra::data
