#include "model/data/table.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "model/artifact/codec/json_reader.h"
#include "model/base/file.h"
#include "model/base/status_macros.h"
#include "model/data/csv_records.h"
#include "model/data/table_builder.h"

namespace hydra::data {
namespace {

using artifact::codec::JsonDocument;
using artifact::codec::JsonNode;

constexpr size_t kMaxTableBytes = size_t{1} << 30;
constexpr size_t kMaxLineBytes = size_t{1} << 20;

std::optional<size_t> ColumnOf(const CsvRecord& header, const std::string& name) {
  const auto found = std::find(header.fields.begin(), header.fields.end(), name);
  if (found == header.fields.end()) return std::nullopt;
  return static_cast<size_t>(found - header.fields.begin());
}

std::optional<std::string> Field(const CsvRecord& record, std::optional<size_t> column) {
  if (!column.has_value()) return std::nullopt;
  return record.fields[*column];
}

// A label that JSON may write as a number.
std::string LabelText(const JsonNode& node) {
  if (node.is_number()) return absl::StrCat(node.Count({0, kMaxExamples}));
  return node.Text();
}

absl::StatusOr<TableRow> ReadJsonRow(absl::string_view line, const std::string& where,
                                     const TableColumns& columns) {
  HYDRA_ASSIGN_OR_RETURN(JsonDocument document, JsonDocument::Parse(line, where));
  TableRow row;
  for (const auto& [key, node] : document.root().Members({0, 1000})) {
    if (key == columns.image) row.image = node.Text();
    if (key == columns.text) row.text = node.Text(kMaxLineBytes);
    if (key == columns.label) row.label = LabelText(node);
  }
  HYDRA_RETURN_IF_ERROR(document.Finish());
  return row;
}

}  // namespace

absl::StatusOr<ExampleList> ParseCsvTable(absl::string_view text, const std::string& path,
                                          const TableColumns& columns) {
  HYDRA_ASSIGN_OR_RETURN(const std::vector<CsvRecord> records, ParseCsv(text, path));
  if (records.empty()) return absl::InvalidArgumentError(absl::StrCat(path, ": no header line"));
  const CsvRecord& header = records.front();
  const auto image = ColumnOf(header, columns.image);
  const auto text_column = ColumnOf(header, columns.text);
  const auto label = ColumnOf(header, columns.label);
  TableBuilder builder(path);
  for (size_t i = 1; i < records.size(); ++i) {
    const CsvRecord& record = records[i];
    if (record.fields.size() != header.fields.size()) {
      return absl::InvalidArgumentError(absl::StrCat(path, ": line ", record.line, ": got ",
                                                     record.fields.size(), " fields, want ",
                                                     header.fields.size()));
    }
    HYDRA_RETURN_IF_ERROR(builder.Add(record.line, {.image = Field(record, image),
                                                    .text = Field(record, text_column),
                                                    .label = Field(record, label)}));
  }
  return std::move(builder).Finish();
}

absl::StatusOr<ExampleList> ParseJsonLines(absl::string_view text, const std::string& path,
                                           const TableColumns& columns) {
  TableBuilder builder(path);
  size_t line_number = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    ++line_number;
    if (absl::StripAsciiWhitespace(line).empty()) continue;
    const std::string where = absl::StrCat(path, ": line ", line_number);
    if (line.size() > kMaxLineBytes) {
      return absl::ResourceExhaustedError(
          absl::StrCat(where, ": got ", line.size(), " bytes, want at most ", kMaxLineBytes));
    }
    HYDRA_ASSIGN_OR_RETURN(TableRow row, ReadJsonRow(line, where, columns));
    HYDRA_RETURN_IF_ERROR(builder.Add(line_number, std::move(row)));
  }
  return std::move(builder).Finish();
}

absl::StatusOr<ExampleList> ReadCsv(const std::string& path, const TableColumns& columns) {
  HYDRA_ASSIGN_OR_RETURN(const std::string text, base::ReadFile(path, kMaxTableBytes));
  return ParseCsvTable(text, path, columns);
}

absl::StatusOr<ExampleList> ReadJsonLines(const std::string& path, const TableColumns& columns) {
  HYDRA_ASSIGN_OR_RETURN(const std::string text, base::ReadFile(path, kMaxTableBytes));
  return ParseJsonLines(text, path, columns);
}

}  // namespace hydra::data
