#include "model/builder/source/data_spec.h"

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "model/base/status_macros.h"

namespace hydra::builder {
namespace {

constexpr char kForms[] =
    "idx:IMAGES,LABELS | idx:IMAGES | image_folder:DIR | csv:FILE | jsonl:FILE, optionally "
    "followed by ;limit=N";

absl::Status Malformed(absl::string_view text) {
  return absl::InvalidArgumentError(
      absl::StrCat("data specification: got \"", text, "\", want ", kForms));
}

absl::StatusOr<DataKind> ParseKind(absl::string_view kind, absl::string_view text) {
  if (kind == "idx") return DataKind::kIdx;
  if (kind == "image_folder") return DataKind::kImageFolder;
  if (kind == "csv") return DataKind::kCsv;
  if (kind == "jsonl") return DataKind::kJsonLines;
  return Malformed(text);
}

}  // namespace

absl::StatusOr<DataSpec> ParseDataSpec(absl::string_view text) {
  const std::vector<std::string> parts = absl::StrSplit(text, ';');
  const std::pair<std::string, std::string> form =
      absl::StrSplit(parts[0], absl::MaxSplits(':', 1));
  HYDRA_ASSIGN_OR_RETURN(const DataKind kind, ParseKind(form.first, text));
  DataSpec spec{.kind = kind, .path = form.second};
  if (kind == DataKind::kIdx) {
    const std::vector<std::string> files = absl::StrSplit(form.second, ',');
    if (files.size() > 2) return Malformed(text);
    spec.path = files[0];
    if (files.size() == 2) spec.labels = files[1];
  }
  const std::string last = parts.size() == 2 ? parts[1] : "limit=0";
  absl::string_view limit = last;
  if (spec.path.empty() || parts.size() > 2 || !absl::ConsumePrefix(&limit, "limit=") ||
      !absl::SimpleAtoi(limit, &spec.limit)) {
    return Malformed(text);
  }
  return spec;
}

std::string FormatDataSpec(const DataSpec& spec) {
  std::string text = spec.kind == DataKind::kIdx           ? "idx:"
                     : spec.kind == DataKind::kImageFolder ? "image_folder:"
                     : spec.kind == DataKind::kCsv         ? "csv:"
                                                           : "jsonl:";
  text += spec.path;
  if (!spec.labels.empty()) absl::StrAppend(&text, ",", spec.labels);
  if (spec.limit != 0) absl::StrAppend(&text, ";limit=", spec.limit);
  return text;
}

absl::StatusOr<std::pair<std::string, DataSpec>> ParseNamedDataSpec(absl::string_view text) {
  const std::pair<std::string, std::string> named = absl::StrSplit(text, absl::MaxSplits('=', 1));
  if (named.first.empty() || named.second.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("named data: got \"", text, "\", want NAME=", kForms));
  }
  HYDRA_ASSIGN_OR_RETURN(DataSpec spec, ParseDataSpec(named.second));
  return std::make_pair(named.first, spec);
}

}  // namespace hydra::builder
