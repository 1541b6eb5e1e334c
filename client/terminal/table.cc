#include "client/terminal/table.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace hydra::terminal {
namespace {

struct CodePoint {
  uint32_t value = 0;
  size_t bytes = 0;  // 0: not a well-formed sequence
};

size_t SequenceLength(uint8_t lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  if (lead >= 0xF0 && lead < 0xF5) return 4;
  return 0;
}

CodePoint Decode(absl::string_view text) {
  const auto lead = static_cast<uint8_t>(text.front());
  const size_t length = SequenceLength(lead);
  if (length == 0 || length > text.size()) return {};
  uint32_t value = length == 1 ? lead : lead & (0x7Fu >> length);
  for (size_t i = 1; i < length; ++i) {
    const auto next = static_cast<uint8_t>(text[i]);
    if ((next & 0xC0) != 0x80) return {};
    value = (value << 6) | (next & 0x3Fu);
  }
  return {value, length};
}

// C0, DEL and C1 controls, and the marks that reorder or hide text on a terminal.
bool Steers(uint32_t value) {
  return value < 0x20 || (value >= 0x7F && value < 0xA0) || (value >= 0x200B && value <= 0x200F) ||
         (value >= 0x2028 && value <= 0x202E) || (value >= 0x2060 && value <= 0x206F);
}

size_t DisplayWidth(absl::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<uint8_t>(byte) & 0xC0) != 0x80;
  }));
}

std::string Pad(absl::string_view cell, size_t width, Align align) {
  const std::string blanks(width - std::min(width, DisplayWidth(cell)), ' ');
  return align == Align::kLeft ? absl::StrCat(cell, blanks) : absl::StrCat(blanks, cell);
}

void AppendLine(std::string line, std::string& out) {
  line.erase(line.find_last_not_of(' ') + 1);
  absl::StrAppend(&out, line, "\n");
}

}  // namespace

std::string Printable(absl::string_view text) {
  std::string out;
  while (!text.empty()) {
    const CodePoint point = Decode(text);
    if (point.bytes == 0 || Steers(point.value)) {
      out += '?';
    } else {
      out.append(text.data(), point.bytes);
    }
    text.remove_prefix(std::max<size_t>(point.bytes, 1));
  }
  return out;
}

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::AddRow(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (std::string& cell : cells) cell = Printable(cell);
  rows_.push_back(std::move(cells));
}

std::string Table::ToString() const {
  std::vector<size_t> widths;
  std::string header, rule, body;
  for (size_t c = 0; c < columns_.size(); ++c) {
    size_t width = DisplayWidth(columns_[c].title);
    for (const auto& row : rows_) width = std::max(width, DisplayWidth(row[c]));
    widths.push_back(width);
    const absl::string_view gap = c == 0 ? "" : "  ";
    absl::StrAppend(&header, gap, Pad(columns_[c].title, width, columns_[c].align));
    absl::StrAppend(&rule, gap, std::string(width, '-'));
  }
  for (const auto& row : rows_) {
    std::string line;
    for (size_t c = 0; c < row.size(); ++c) {
      absl::StrAppend(&line, c == 0 ? "" : "  ", Pad(row[c], widths[c], columns_[c].align));
    }
    AppendLine(std::move(line), body);
  }
  std::string out;
  AppendLine(std::move(header), out);
  AppendLine(std::move(rule), out);
  return absl::StrCat(out, body);
}

}  // namespace hydra::terminal
