#include "model/artifact/codec/json_reader.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "model/base/status_macros.h"
#include "nlohmann/json.hpp"

namespace hydra::artifact::codec {
namespace {

using nlohmann::json;

constexpr size_t kMaxDepth = 12;
constexpr size_t kMaxShownBytes = 60;  // of a value in an error message

// First pass over a text: finds what the parser below would accept silently or deeply.
class Validator final : public nlohmann::json_sax<json> {
 public:
  const std::string& error() const { return error_; }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(size_t) override { return Enter(); }
  bool end_object() override { return Leave(); }
  bool start_array(size_t) override { return Enter(); }
  bool end_array() override { return Leave(); }

  bool key(string_t& name) override {
    if (keys_.back().insert(name).second) return true;
    error_ = absl::StrCat("key \"", absl::CHexEscape(name.substr(0, kMaxShownBytes)), "\" twice");
    return false;
  }

  bool parse_error(size_t position, const std::string&, const json::exception&) override {
    error_ = absl::StrCat("not JSON at byte ", position);
    return false;
  }

 private:
  bool Enter() {
    if (keys_.size() >= kMaxDepth) {
      error_ = absl::StrCat("nested deeper than ", kMaxDepth, " levels");
      return false;
    }
    keys_.emplace_back();
    return true;
  }
  bool Leave() {
    keys_.pop_back();
    return true;
  }

  std::vector<std::set<std::string>> keys_;
  std::string error_;
};

std::string Shown(const json& value) {
  if (value.is_structured()) return absl::StrCat("an ", value.type_name());
  std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  if (text.size() > kMaxShownBytes) text = absl::StrCat(text.substr(0, kMaxShownBytes), "...");
  return text;
}

std::string ChildPath(const std::string& path, absl::string_view key) {
  return absl::StrCat(path, path.empty() ? "" : ".", key);
}

}  // namespace

JsonDocument::JsonDocument() : state_(std::make_unique<State>()) {}
JsonDocument::JsonDocument(JsonDocument&&) noexcept = default;
JsonDocument::~JsonDocument() = default;

void JsonDocument::State::Fail(absl::string_view path, absl::string_view reason) {
  if (!error.ok()) return;
  error =
      absl::InvalidArgumentError(absl::StrCat(file, ": ", path, path.empty() ? "" : ": ", reason));
}

absl::StatusOr<JsonDocument> JsonDocument::Parse(absl::string_view text, absl::string_view file) {
  JsonDocument document;
  document.state_->file = std::string(file);
  Validator validator;
  if (!json::sax_parse(text.begin(), text.end(), &validator)) {
    return absl::InvalidArgumentError(absl::StrCat(file, ": ", validator.error()));
  }
  document.state_->value =
      std::make_unique<const json>(json::parse(text.begin(), text.end(), nullptr, false));
  return document;
}

JsonNode JsonDocument::root() { return JsonNode(state_.get(), state_->value.get(), ""); }

void JsonNode::Fail(absl::string_view reason) const {
  if (value_ != nullptr) state_->Fail(path_, reason);
}

void JsonNode::FailType(absl::string_view wanted) const {
  Fail(absl::StrCat("got ", Shown(*value_), ", want ", wanted));
}

bool JsonNode::is_number() const { return value_ != nullptr && value_->is_number(); }

std::string JsonNode::TextOrEmpty(size_t max_bytes) const {
  if (failed()) return "";
  if (!value_->is_string()) {
    FailType("a text");
    return "";
  }
  const std::string& text = value_->get_ref<const std::string&>();
  if (text.size() <= max_bytes) return text;
  Fail(absl::StrCat("got ", text.size(), " bytes, want at most ", max_bytes));
  return "";
}

std::string JsonNode::Text(size_t max_bytes) const {
  std::string text = TextOrEmpty(max_bytes);
  if (text.empty()) Fail("got an empty text");
  return text;
}

std::string JsonNode::Choice(std::initializer_list<absl::string_view> choices) const {
  std::string text = TextOrEmpty();
  if (failed() || std::find(choices.begin(), choices.end(), text) != choices.end()) return text;
  FailType(absl::StrCat("one of ", absl::StrJoin(choices, ", ")));
  return "";
}

std::string JsonNode::Digest() const {
  std::string text = TextOrEmpty();
  const bool hex = std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  });
  if (!failed() && (!hex || text.size() != 64)) FailType("64 lower-case hex digits");
  return text;
}

size_t JsonNode::Count(CountRange range) const {
  if (failed()) return range.low;
  if (value_->is_number_unsigned()) {
    const size_t count = value_->get<size_t>();
    if (count >= range.low && count <= range.high) return count;
  }
  FailType(absl::StrCat(range.low, "..", range.high));
  return range.low;
}

double JsonNode::Real(RealRange range) const {
  if (failed()) return range.low;
  if (value_->is_number()) {
    const double number = value_->get<double>();
    if (std::isfinite(number) && number >= range.low && number <= range.high) return number;
  }
  FailType(range.low == kFinite.low ? "a number"
                                    : absl::StrCat("a number in ", range.low, "..", range.high));
  return range.low;
}

bool JsonNode::Flag() const {
  if (failed()) return false;
  if (value_->is_boolean()) return value_->get<bool>();
  FailType("true or false");
  return false;
}

std::vector<size_t> JsonNode::Counts(CountRange items, CountRange values) const {
  std::vector<size_t> counts;
  for (const JsonNode& item : Items(items)) counts.push_back(item.Count(values));
  return counts;
}

std::vector<double> JsonNode::Reals(CountRange items, RealRange values) const {
  std::vector<double> reals;
  for (const JsonNode& item : Items(items)) reals.push_back(item.Real(values));
  return reals;
}

std::map<std::string, std::string> JsonNode::TextMap() const {
  std::map<std::string, std::string> texts;
  for (const auto& [key, node] : Members({0, 1000})) texts.emplace(key, node.TextOrEmpty());
  return texts;
}

std::vector<JsonNode> JsonNode::Items(CountRange count) const {
  std::vector<JsonNode> items;
  if (failed()) return items;
  if (!value_->is_array()) {
    FailType("an array");
    return items;
  }
  if (value_->size() < count.low || value_->size() > count.high) {
    Fail(absl::StrCat("got ", value_->size(), " items, want ", count.low,
                      count.low == count.high ? "" : absl::StrCat("..", count.high)));
    return items;
  }
  items.reserve(value_->size());
  for (size_t i = 0; i < value_->size(); ++i) {
    items.push_back(JsonNode(state_, &(*value_)[i], absl::StrCat(path_, "[", i, "]")));
  }
  return items;
}

std::vector<std::pair<std::string, JsonNode>> JsonNode::Members(CountRange count) const {
  std::vector<std::pair<std::string, JsonNode>> members;
  if (failed()) return members;
  if (!value_->is_object()) {
    FailType("an object");
    return members;
  }
  if (value_->size() < count.low || value_->size() > count.high) {
    Fail(absl::StrCat("got ", value_->size(), " keys, want ", count.low, "..", count.high));
    return members;
  }
  for (const auto& [key, value] : value_->items()) {
    if (key.empty() || key.size() > 200) Fail("got an empty or overlong key");
    members.emplace_back(key, JsonNode(state_, &value, ChildPath(path_, key)));
  }
  return members;
}

JsonObject::JsonObject(JsonNode node) : node_(std::move(node)) {
  if (!node_.failed() && !node_.value_->is_object()) node_.FailType("an object");
}

JsonObject::~JsonObject() {
  if (node_.failed() || !node_.value_->is_object()) return;
  for (const auto& [key, value] : node_.value_->items()) {
    if (known_.count(key) == 0) {
      node_.state_->Fail(ChildPath(node_.path_, absl::CHexEscape(key.substr(0, kMaxShownBytes))),
                         absl::StrCat("unknown key, want one of ", absl::StrJoin(known_, ", ")));
    }
  }
}

bool JsonObject::Has(absl::string_view key) {
  known_.emplace(key);
  return !node_.failed() && node_.value_->is_object() && node_.value_->contains(std::string(key));
}

JsonNode JsonObject::operator[](absl::string_view key) {
  std::string path = ChildPath(node_.path_, key);
  if (Has(key)) return JsonNode(node_.state_, &(*node_.value_)[std::string(key)], std::move(path));
  if (!node_.failed()) node_.state_->Fail(path, "missing key");
  return JsonNode(node_.state_, nullptr, std::move(path));
}

absl::StatusOr<std::string> DumpJson(const nlohmann::ordered_json& json, absl::string_view file) {
  using Handler = nlohmann::ordered_json::error_handler_t;
  std::string text = json.dump(2, ' ', false, Handler::replace);
  if (text != json.dump(2, ' ', false, Handler::ignore)) {
    return absl::InvalidArgumentError(absl::StrCat(file, ": a text in it is not UTF-8"));
  }
  return absl::StrCat(text, "\n");
}

}  // namespace hydra::artifact::codec
