// Comma-separated values (RFC 4180).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace hydra::data {

struct CsvRecord {
  size_t line = 0;  // where it begins, from 1
  std::vector<std::string> fields;
};

// Records of any number of fields; blank lines are left out.  A field in double quotes may hold
// commas, line ends and doubled quotes.  `file` names the text in errors.  Errors: INVALID_ARGUMENT
// a quote inside an unquoted field, text behind a closing quote, a quote that is never closed, a
// zero byte; RESOURCE_EXHAUSTED a field above 1 MiB or more than 1000 fields.  Each names the line.
absl::StatusOr<std::vector<CsvRecord>> ParseCsv(absl::string_view text, absl::string_view file);

}  // namespace hydra::data
