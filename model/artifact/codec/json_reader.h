// Strict reading of JSON documents: the path in every error, unknown and duplicate keys refused,
// every number in a stated range.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json_fwd.hpp"

namespace hydra::artifact::codec {

struct CountRange {
  size_t low = 0;
  size_t high = 0;  // inclusive
};

struct RealRange {
  double low = 0.0;
  double high = 0.0;  // inclusive
};

inline constexpr RealRange kFinite{std::numeric_limits<double>::lowest(),
                                   std::numeric_limits<double>::max()};
inline constexpr size_t kMaxTextBytes = 4096;

class JsonNode;

// Owns the parsed text and the first error met while reading it: readers take values without
// checking each, and look at Finish() once.  A value in error reads as the lowest of its range.
// Not thread-safe; nodes must not outlive it.
class JsonDocument {
 public:
  // `file` names the document in errors.  Errors: INVALID_ARGUMENT not JSON, a key twice in one
  // object, or nested deeper than 12 levels; with the byte where it happens.
  static absl::StatusOr<JsonDocument> Parse(absl::string_view text, absl::string_view file);

  JsonDocument(JsonDocument&&) noexcept;
  ~JsonDocument();

  JsonNode root();

  // The first error: INVALID_ARGUMENT "manifest.json: layers[3].heads[0]: got 12, want 0..11".
  absl::Status Finish() const { return state_->error; }

 private:
  friend class JsonNode;
  friend class JsonObject;

  struct State {
    std::string file;
    std::unique_ptr<const nlohmann::json> value;
    absl::Status error;

    void Fail(absl::string_view path, absl::string_view reason);
  };

  JsonDocument();

  std::unique_ptr<State> state_;
};

// One value of a document.  Each reader records an error when the value is of another type or out
// of its range.
class JsonNode {
 public:
  std::string Text(size_t max_bytes = kMaxTextBytes) const;  // not empty
  std::string TextOrEmpty(size_t max_bytes = kMaxTextBytes) const;
  std::string Choice(std::initializer_list<absl::string_view> choices) const;
  std::string Digest() const;  // 64 lower-case hex digits
  size_t Count(CountRange range) const;
  double Real(RealRange range) const;
  bool Flag() const;
  std::vector<size_t> Counts(CountRange items, CountRange values) const;
  std::vector<double> Reals(CountRange items, RealRange values) const;
  std::map<std::string, std::string> TextMap() const;

  // Elements of an array, with their paths.
  std::vector<JsonNode> Items(CountRange count) const;

  // Members of an object whose keys are free, in the order of the keys.
  std::vector<std::pair<std::string, JsonNode>> Members(CountRange count) const;

  bool is_number() const;

  const std::string& path() const { return path_; }
  bool failed() const { return value_ == nullptr; }

  // Records a failed check of the caller's own: `reason` in the form "got 3, want 4".
  void Fail(absl::string_view reason) const;

 private:
  friend class JsonDocument;
  friend class JsonObject;

  JsonNode(JsonDocument::State* state, const nlohmann::json* value, std::string path)
      : state_(state), value_(value), path_(std::move(path)) {}

  void FailType(absl::string_view wanted) const;

  JsonDocument::State* state_;
  const nlohmann::json* value_;  // null after an error
  std::string path_;
};

// An object with a fixed set of keys: those that were never asked for are an error, recorded by the
// destructor.
class JsonObject {
 public:
  explicit JsonObject(JsonNode node);
  JsonObject(const JsonObject&) = delete;
  JsonObject& operator=(const JsonObject&) = delete;
  ~JsonObject();

  JsonNode operator[](absl::string_view key);  // a missing key is an error
  bool Has(absl::string_view key);             // makes the key known

 private:
  const JsonNode node_;
  std::set<std::string> known_;
};

// The text of `json` with two blanks of indentation and a line end.
// Errors: INVALID_ARGUMENT a text in it is not UTF-8.
absl::StatusOr<std::string> DumpJson(const nlohmann::ordered_json& json, absl::string_view file);

}  // namespace hydra::artifact::codec
