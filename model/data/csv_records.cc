#include "model/data/csv_records.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"

namespace hydra::data {
namespace {

constexpr size_t kMaxFieldBytes = size_t{1} << 20;
constexpr size_t kMaxFields = 1000;

class CsvParser {
 public:
  CsvParser(absl::string_view text, absl::string_view file) : text_(text), file_(file) {}

  absl::StatusOr<std::vector<CsvRecord>> Parse() {
    std::vector<CsvRecord> records;
    while (position_ < text_.size()) {
      CsvRecord record{.line = line_, .fields = {}};
      HYDRA_RETURN_IF_ERROR(ReadRecord(record));
      const bool blank = record.fields.size() == 1 && record.fields.front().empty();
      if (!blank) records.push_back(std::move(record));
    }
    return records;
  }

 private:
  absl::Status Broken(absl::string_view reason) const {
    return absl::InvalidArgumentError(absl::StrCat(file_, ": line ", line_, ": ", reason));
  }

  bool AtEnd() const { return position_ >= text_.size(); }

  // Consumes "\n" or "\r\n".
  bool TakeLineEnd() {
    const absl::string_view rest = text_.substr(position_);
    const size_t bytes = rest.substr(0, 1) == "\n" ? 1 : rest.substr(0, 2) == "\r\n" ? 2 : 0;
    position_ += bytes;
    line_ += bytes > 0;
    return bytes > 0;
  }

  absl::Status ReadRecord(CsvRecord& record) {
    while (true) {
      HYDRA_ASSIGN_OR_RETURN(std::string field, ReadField());
      if (field.size() > kMaxFieldBytes || record.fields.size() >= kMaxFields) {
        return absl::ResourceExhaustedError(absl::StrCat(file_, ": line ", record.line,
                                                         ": want at most ", kMaxFields,
                                                         " fields of ", kMaxFieldBytes, " bytes"));
      }
      record.fields.push_back(std::move(field));
      if (AtEnd() || TakeLineEnd()) return absl::OkStatus();
      if (text_[position_] != ',') return Broken("got text behind a closing quote");
      ++position_;
    }
  }

  absl::StatusOr<std::string> ReadField() {
    if (!AtEnd() && text_[position_] == '"') return ReadQuoted();
    const size_t begin = position_;
    while (!AtEnd() && text_[position_] != ',' && text_[position_] != '\n' &&
           text_.substr(position_, 2) != "\r\n") {
      if (text_[position_] == '"') return Broken("got a quote inside an unquoted field");
      if (text_[position_] == '\0') return Broken("got a zero byte");
      ++position_;
    }
    return std::string(text_.substr(begin, position_ - begin));
  }

  absl::StatusOr<std::string> ReadQuoted() {
    std::string field;
    for (++position_; !AtEnd(); ++position_) {
      const char c = text_[position_];
      if (c == '\0') return Broken("got a zero byte");
      line_ += c == '\n';
      if (c == '"') {
        const bool doubled = text_.substr(position_ + 1, 1) == "\"";
        ++position_;
        if (!doubled) return field;
      }
      field.push_back(c);
    }
    return Broken("got a quote that is never closed");
  }

  const absl::string_view text_;
  const absl::string_view file_;
  size_t position_ = 0;
  size_t line_ = 1;
};

}  // namespace

absl::StatusOr<std::vector<CsvRecord>> ParseCsv(absl::string_view text, absl::string_view file) {
  return CsvParser(text, file).Parse();
}

}  // namespace hydra::data
