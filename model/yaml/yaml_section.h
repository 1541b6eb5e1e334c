// The project's one reader of YAML: strict, with the path and the line in every message.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace hydra::yaml {

// One mapping of a document.  Every key must be asked for: Finish reports those that were not, with
// the nearest name that was.  Read sets its target when the key is there and leaves it otherwise,
// so that the value before is the default.  Errors are collected; reading goes on, and Finish tells
// them all.  Sections of one document share it and may outlive each other.  Not thread-safe.
class YamlSection {
 public:
  // An empty document is an empty section.  `source` names the text in messages.  Errors:
  // INVALID_ARGUMENT not YAML, not a mapping, a key twice, or nested deeper or larger than any
  // configuration.
  static absl::StatusOr<YamlSection> Parse(absl::string_view text, const std::string& source);

  bool Has(absl::string_view key) const;  // does not count as asking

  void Read(absl::string_view key, std::string& target);
  void Read(absl::string_view key, bool& target);    // true or false
  void Read(absl::string_view key, size_t& target);  // decimal digits
  void Read(absl::string_view key, double& target);  // finite
  void Read(absl::string_view key, std::vector<std::string>& target);
  void Read(absl::string_view key, std::vector<size_t>& target);
  void Read(absl::string_view key, std::vector<double>& target);

  // One of a fixed set of words.
  template <typename Enum>
  void ReadChoice(absl::string_view key, Enum& target,
                  absl::Span<const std::pair<const char*, Enum>> choices) {
    std::vector<absl::string_view> names;
    for (const auto& choice : choices) names.push_back(choice.first);
    const size_t index = FindChoice(key, names);
    if (index < choices.size()) target = choices[index].second;
  }

  // The mapping below `key`; an empty one when it is absent.
  YamlSection Section(absl::string_view key);
  // A list of mappings; empty when absent.
  std::vector<YamlSection> Sections(absl::string_view key);
  // The keys of this mapping in their order, for mappings whose keys are names; counts as asking.
  std::vector<std::string> Keys();

  // Adds the caller's own complaint about `key`: "FILE:LINE: PATH: <complaint>".
  void Complain(absl::string_view key, absl::string_view complaint);

  // Of the whole document: INVALID_ARGUMENT with one line per error, in the order of the file.
  absl::Status Finish() const;

 private:
  struct Node;
  struct Document;

  YamlSection(std::shared_ptr<Document> document, Node* node, std::string path)
      : document_(std::move(document)), node_(node), path_(std::move(path)) {}

  std::string PathOf(absl::string_view key) const;
  Node* Find(absl::string_view key);
  void WrongType(const Node& node, absl::string_view key, absl::string_view want);
  // The position in `names`, or names.size() when absent or wrong (then there is a complaint).
  size_t FindChoice(absl::string_view key, absl::Span<const absl::string_view> names);
  template <typename Value>
  void ReadScalar(absl::string_view key, Value& target, absl::string_view want);
  template <typename Value>
  void ReadList(absl::string_view key, std::vector<Value>& target, absl::string_view want);

  std::shared_ptr<Document> document_;  // co-owned by all sections of the document
  Node* node_;                          // in document_
  std::string path_;                    // "batching", empty for the root
};

}  // namespace hydra::yaml
