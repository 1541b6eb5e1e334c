// Datasets listed by a table: CSV with a header line, or one JSON object a line.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/data/examples.h"

namespace hydra::data {

// Columns (keys) that are read; others are left alone.  Exactly one of `image` and `text` must be
// there; relative image paths start at the table's folder.
struct TableColumns {
  std::string image = "image";
  std::string text = "text";
  std::string label = "label";  // a class name, or in JSON also a whole number
};

// Class names are the labels that occur, sorted as numbers if all are numbers, else as text.
// Errors: as ReadFile (at most 1 GiB); INVALID_ARGUMENT a table without rows, a row of another
// number of fields, an empty or missing value, labels in some rows only; RESOURCE_EXHAUSTED more
// than kMaxExamples rows.  Each names file and line.
absl::StatusOr<ExampleList> ReadCsv(const std::string& path, const TableColumns& columns);
absl::StatusOr<ExampleList> ReadJsonLines(const std::string& path, const TableColumns& columns);

// The same of a text in memory; `path` names it and locates the images.
absl::StatusOr<ExampleList> ParseCsvTable(absl::string_view text, const std::string& path,
                                          const TableColumns& columns);
absl::StatusOr<ExampleList> ParseJsonLines(absl::string_view text, const std::string& path,
                                           const TableColumns& columns);

}  // namespace hydra::data
