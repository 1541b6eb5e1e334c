#include "model/yaml/yaml_section.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <set>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "model/base/status_macros.h"
#include "model/yaml/nearest_name.h"

namespace hydra::yaml {
namespace {

constexpr size_t kMaxDepth = 16;
constexpr size_t kMaxNodes = 100'000;  // aliases are expanded, so the text's size is no bound
constexpr size_t kMaxErrors = 10;      // in one message

enum class Kind { kNothing, kScalar, kList, kMapping };

bool FromText(const std::string& text, std::string& value) {
  value = text;
  return true;
}

bool FromText(const std::string& text, bool& value) {
  value = text == "true";
  return value || text == "false";
}

bool FromText(const std::string& text, size_t& value) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) != 0 &&
         absl::SimpleAtoi(text, &value);
}

bool FromText(const std::string& text, double& value) {
  return absl::SimpleAtod(text, &value) && std::isfinite(value);
}

}  // namespace

struct YamlSection::Node {
  Kind kind = Kind::kNothing;
  int line = 0;     // from 1; 0: not in the text
  std::string key;  // of an entry
  std::string scalar;
  std::vector<Node> items;
  std::vector<Node> entries;
  std::vector<std::string> asked;
};

struct YamlSection::Document {
  struct Error {
    int line;
    std::string text;
  };

  std::string source;
  Node root;
  std::deque<Node> absent;  // sections that were asked for and are not there
  std::vector<Error> errors;
  size_t nodes = 0;

  absl::Status At(int line, absl::string_view path, absl::string_view complaint) const {
    return absl::InvalidArgumentError(
        absl::StrCat(source, ":", line, ": ", path, path.empty() ? "" : ": ", complaint));
  }

  absl::StatusOr<Node> Convert(const YAML::Node& yaml, const std::string& path, size_t depth);
  absl::Status ConvertEntries(const YAML::Node& yaml, const std::string& path, size_t depth,
                              Node& node);
  void FindUnasked(const Node& node, const std::string& path, std::vector<Error>& found) const;
};

absl::Status YamlSection::Document::ConvertEntries(const YAML::Node& yaml, const std::string& path,
                                                   size_t depth, Node& node) {
  std::set<std::string> seen;
  for (const auto& entry : yaml) {
    const int line = entry.first.Mark().line + 1;
    if (!entry.first.IsScalar()) return At(line, path, "a key is not a word");
    const std::string key = entry.first.Scalar();
    const std::string below = path.empty() ? key : absl::StrCat(path, ".", key);
    if (!seen.insert(key).second) return At(line, below, "is there twice");
    HYDRA_ASSIGN_OR_RETURN(Node value, Convert(entry.second, below, depth + 1));
    value.line = line;
    value.key = key;
    node.entries.push_back(std::move(value));
  }
  return absl::OkStatus();
}

absl::StatusOr<YamlSection::Node> YamlSection::Document::Convert(const YAML::Node& yaml,
                                                                 const std::string& path,
                                                                 size_t depth) {
  Node node{.line = yaml.Mark().line + 1};
  if (depth > kMaxDepth) return At(node.line, path, absl::StrCat("nested over ", kMaxDepth));
  if (++nodes > kMaxNodes) return At(node.line, path, absl::StrCat("over ", kMaxNodes, " values"));
  if (yaml.IsScalar()) {
    node.kind = Kind::kScalar;
    node.scalar = yaml.Scalar();
  } else if (yaml.IsSequence()) {
    node.kind = Kind::kList;
    for (size_t i = 0; i < yaml.size(); ++i) {
      HYDRA_ASSIGN_OR_RETURN(Node item,
                             Convert(yaml[i], absl::StrCat(path, "[", i, "]"), depth + 1));
      node.items.push_back(std::move(item));
    }
  } else if (yaml.IsMap()) {
    node.kind = Kind::kMapping;
    HYDRA_RETURN_IF_ERROR(ConvertEntries(yaml, path, depth, node));
  }
  return node;
}

void YamlSection::Document::FindUnasked(const Node& node, const std::string& path,
                                        std::vector<Error>& found) const {
  for (const Node& entry : node.entries) {
    const std::string below = path.empty() ? entry.key : absl::StrCat(path, ".", entry.key);
    if (std::find(node.asked.begin(), node.asked.end(), entry.key) != node.asked.end()) {
      FindUnasked(entry, below, found);
      continue;
    }
    const std::string nearest = NearestName(entry.key, node.asked);
    const std::string hint = nearest.empty()
                                 ? absl::StrCat("want one of ", absl::StrJoin(node.asked, ", "))
                                 : absl::StrCat("did you mean ", nearest, "?");
    found.push_back(
        {entry.line,
         std::string(At(entry.line, below, absl::StrCat("unknown key, ", hint)).message())});
  }
  for (size_t i = 0; i < node.items.size(); ++i) {
    FindUnasked(node.items[i], absl::StrCat(path, "[", i, "]"), found);
  }
}

absl::StatusOr<YamlSection> YamlSection::Parse(absl::string_view text, const std::string& source) {
  auto document = std::make_shared<Document>();
  document->source = source;
  try {
    const YAML::Node yaml = YAML::Load(std::string(text));
    HYDRA_ASSIGN_OR_RETURN(document->root, document->Convert(yaml, "", 0));
  } catch (const YAML::Exception& error) {
    return document->At(error.mark.line + 1, "", error.msg);
  }
  const Kind kind = document->root.kind;
  if (kind != Kind::kMapping && kind != Kind::kNothing) {
    return document->At(document->root.line, "", "want a mapping of keys to values");
  }
  Node* const root = &document->root;
  return YamlSection(std::move(document), root, "");
}

std::string YamlSection::PathOf(absl::string_view key) const {
  return path_.empty() ? std::string(key) : absl::StrCat(path_, ".", key);
}

bool YamlSection::Has(absl::string_view key) const {
  return std::any_of(node_->entries.begin(), node_->entries.end(),
                     [key](const Node& entry) { return entry.key == key; });
}

YamlSection::Node* YamlSection::Find(absl::string_view key) {
  node_->asked.emplace_back(key);
  for (Node& entry : node_->entries) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

void YamlSection::WrongType(const Node& node, absl::string_view key, absl::string_view want) {
  const char* const got[] = {"nothing", "", "a list", "a mapping"};
  const std::string value = node.kind == Kind::kScalar ? absl::StrCat("\"", node.scalar, "\"")
                                                       : got[static_cast<int>(node.kind)];
  const absl::Status error =
      document_->At(node.line, PathOf(key), absl::StrCat("got ", value, ", want ", want));
  document_->errors.push_back({node.line, std::string(error.message())});
}

template <typename Value>
void YamlSection::ReadScalar(absl::string_view key, Value& target, absl::string_view want) {
  const Node* const node = Find(key);
  if (node == nullptr) return;
  Value value{};
  if (node->kind != Kind::kScalar || !FromText(node->scalar, value)) {
    return WrongType(*node, key, want);
  }
  target = value;
}

template <typename Value>
void YamlSection::ReadList(absl::string_view key, std::vector<Value>& target,
                           absl::string_view want) {
  const Node* const node = Find(key);
  if (node == nullptr) return;
  if (node->kind != Kind::kList) return WrongType(*node, key, absl::StrCat("a list of ", want));
  std::vector<Value> values(node->items.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const Node& item = node->items[i];
    Value value{};
    if (item.kind != Kind::kScalar || !FromText(item.scalar, value)) {
      return WrongType(item, absl::StrCat(key, "[", i, "]"), want);
    }
    values[i] = value;
  }
  target = std::move(values);
}

void YamlSection::Read(absl::string_view key, std::string& target) {
  ReadScalar(key, target, "a text");
}
void YamlSection::Read(absl::string_view key, bool& target) {
  ReadScalar(key, target, "true or false");
}
void YamlSection::Read(absl::string_view key, size_t& target) {
  ReadScalar(key, target, "a whole number from 0");
}
void YamlSection::Read(absl::string_view key, double& target) {
  ReadScalar(key, target, "a number");
}
void YamlSection::Read(absl::string_view key, std::vector<std::string>& target) {
  ReadList(key, target, "texts");
}
void YamlSection::Read(absl::string_view key, std::vector<size_t>& target) {
  ReadList(key, target, "whole numbers from 0");
}
void YamlSection::Read(absl::string_view key, std::vector<double>& target) {
  ReadList(key, target, "numbers");
}

size_t YamlSection::FindChoice(absl::string_view key, absl::Span<const absl::string_view> names) {
  const Node* const node = Find(key);
  if (node == nullptr) return names.size();
  const auto name = std::find(names.begin(), names.end(), absl::string_view(node->scalar));
  if (node->kind != Kind::kScalar || name == names.end()) {
    WrongType(*node, key, absl::StrJoin(names, " or "));
    return names.size();
  }
  return static_cast<size_t>(name - names.begin());
}

YamlSection YamlSection::Section(absl::string_view key) {
  Node* node = Find(key);
  if (node != nullptr && node->kind != Kind::kMapping && node->kind != Kind::kNothing) {
    WrongType(*node, key, "a mapping");
    node = nullptr;
  }
  if (node == nullptr) node = &document_->absent.emplace_back();
  return YamlSection(document_, node, PathOf(key));
}

std::vector<YamlSection> YamlSection::Sections(absl::string_view key) {
  Node* const node = Find(key);
  if (node == nullptr) return {};
  std::vector<YamlSection> sections;
  for (size_t i = 0; i < node->items.size(); ++i) {
    Node& item = node->items[i];
    const std::string indexed = absl::StrCat(key, "[", i, "]");
    if (item.kind != Kind::kMapping) {
      WrongType(item, indexed, "a mapping");
      return {};
    }
    sections.push_back(YamlSection(document_, &item, PathOf(indexed)));
  }
  if (node->kind != Kind::kList) WrongType(*node, key, "a list of mappings");
  return sections;
}

std::vector<std::string> YamlSection::Keys() {
  std::vector<std::string> keys;
  for (const Node& entry : node_->entries) keys.push_back(entry.key);
  node_->asked.insert(node_->asked.end(), keys.begin(), keys.end());
  return keys;
}

void YamlSection::Complain(absl::string_view key, absl::string_view complaint) {
  int line = node_->line;
  for (const Node& entry : node_->entries) {
    if (entry.key == key) line = entry.line;
  }
  const absl::Status error = document_->At(line, PathOf(key), complaint);
  document_->errors.push_back({line, std::string(error.message())});
}

absl::Status YamlSection::Finish() const {
  std::vector<Document::Error> errors = document_->errors;
  document_->FindUnasked(document_->root, "", errors);
  if (errors.empty()) return absl::OkStatus();
  std::stable_sort(errors.begin(), errors.end(),
                   [](const auto& a, const auto& b) { return a.line < b.line; });
  const size_t shown = std::min(errors.size(), kMaxErrors);
  std::string text;
  for (size_t i = 0; i < shown; ++i) absl::StrAppend(&text, i == 0 ? "" : "\n", errors[i].text);
  if (shown < errors.size()) absl::StrAppend(&text, "\nand ", errors.size() - shown, " more");
  return absl::InvalidArgumentError(text);
}

}  // namespace hydra::yaml
