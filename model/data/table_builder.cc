#include "model/data/table_builder.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <tuple>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace hydra::data {
namespace {

// Numbers in their own order and before any text.
std::tuple<bool, uint64_t, std::string> SortKey(const std::string& label) {
  uint64_t number = 0;
  const bool is_number = absl::SimpleAtoi(label, &number);
  return {!is_number, number, label};
}

}  // namespace

absl::Status TableBuilder::Add(size_t line, TableRow row) {
  const auto broken = [&](absl::string_view reason) {
    return absl::InvalidArgumentError(absl::StrCat(path_, ": line ", line, ": ", reason));
  };
  if (row.image.has_value() == row.text.has_value()) {
    return broken(row.image.has_value() ? "got an image and a text, want one of them"
                                        : "got neither an image nor a text");
  }
  if (row.image == "" || row.text == "" || row.label == "") return broken("got an empty value");
  if (!examples_.empty() && row.label.has_value() != !labels_.empty()) {
    return broken("want a label in every row or in none");
  }
  if (examples_.size() >= kMaxExamples) {
    return absl::ResourceExhaustedError(
        absl::StrCat(path_, ": got more than ", kMaxExamples, " rows"));
  }
  Example example;
  if (row.image.has_value()) {
    example.image = (std::filesystem::path(path_).parent_path() / *row.image).string();
  } else {
    example.text = *std::move(row.text);
  }
  examples_.push_back(std::move(example));
  if (row.label.has_value()) labels_.push_back(*std::move(row.label));
  return absl::OkStatus();
}

absl::StatusOr<ExampleList> TableBuilder::Finish() && {
  if (examples_.empty()) return absl::InvalidArgumentError(absl::StrCat(path_, ": got no rows"));
  std::map<decltype(SortKey("")), size_t> index;
  for (const std::string& label : labels_) index.emplace(SortKey(label), 0);
  ExampleList list{.examples = std::move(examples_), .class_names = {}};
  for (auto& [key, position] : index) {
    position = list.class_names.size();
    list.class_names.push_back(std::get<std::string>(key));
  }
  for (size_t i = 0; i < labels_.size(); ++i) {
    list.examples[i].label = index.at(SortKey(labels_[i]));
  }
  return list;
}

}  // namespace hydra::data
