// Plain-text tables with aligned columns, for a terminal or a pipe alike.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace hydra::terminal {

enum class Align { kLeft, kRight };

// A header line, a rule and the rows; columns two spaces apart, no trailing blanks.
// Width counts UTF-8 code points; control characters of a cell are shown as '?', so that a label
// from a server cannot steer the terminal.  Not thread-safe.
class Table {
 public:
  struct Column {
    std::string title;
    Align align = Align::kLeft;
  };

  explicit Table(std::vector<Column> columns);

  // Missing cells are blank; cells past the last column are dropped.
  void AddRow(std::vector<std::string> cells);

  std::string ToString() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// `text` with control characters (C0, C1 and DEL) and bytes that are not UTF-8 replaced by '?'.
std::string Printable(absl::string_view text);

}  // namespace hydra::terminal
