#include "tests/unit/model/artifact/codec/json_corruption.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace hydra::artifact {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

// Walks the tree; `path` as in messages, `pattern` the same with [] for every index.
class Corrupter {
 public:
  Corrupter(Json document, const CorruptionExpectations& expected,
            const std::function<absl::Status(const std::string&)>& parse)
      : document_(std::move(document)), expected_(expected), parse_(parse) {}

  void Walk(Json& value, const std::string& path, const std::string& pattern) {
    if (!path.empty()) Replace(value, path, pattern);
    if (value.is_object()) WalkObject(value, path, pattern);
    if (!value.is_array()) return;
    for (size_t i = 0; i < value.size(); ++i) {
      Walk(value[i], absl::StrCat(path, "[", i, "]"), pattern + "[]");
    }
  }

  Json& document() { return document_; }
  size_t corruptions() const { return corruptions_; }

 private:
  void ExpectFound(const std::string& path, const std::string& what) {
    ++corruptions_;
    const absl::Status status = parse_(document_.dump());
    EXPECT_FALSE(status.ok()) << what << " at " << path;
    EXPECT_THAT(status.message(), HasSubstr(expected_.file)) << what << " at " << path;
    EXPECT_THAT(status.message(), HasSubstr(path)) << what << " at " << path;
  }

  void Replace(Json& value, const std::string& path, const std::string& pattern) {
    const Json good = value;
    std::vector<Json> wrong = {nullptr, Json::array({Json::object()}),
                               good.is_string() ? Json(7) : Json("7"),
                               good.is_boolean() ? Json(0) : Json(true)};
    if (good.is_number() && expected_.signed_numbers.count(pattern) == 0) wrong.push_back(-1);
    if (good.is_number_unsigned()) wrong.push_back(1.5);
    if (good.is_string()) wrong.push_back("");
    for (const Json& replacement : wrong) {
      // A fraction is a good number where any real is.
      if (replacement.is_number_float() && expected_.signed_numbers.count(pattern) > 0) continue;
      if (replacement == "" && expected_.optional_keys.count(pattern + "=empty") > 0) continue;
      value = replacement;
      ExpectFound(path, absl::StrCat("replaced by ", replacement.dump()));
    }
    value = good;
  }

  void WalkObject(Json& value, const std::string& path, const std::string& pattern) {
    const std::string prefix = path.empty() ? "" : path + ".";
    const std::string pattern_prefix = pattern.empty() ? "" : pattern + ".";
    const bool open = expected_.open_objects.count(pattern) > 0;
    if (!open) {
      const Json good = value;
      value["surprise"] = 1;
      ExpectFound(prefix + "surprise", "unknown key");
      value = good;
    }
    std::vector<std::string> keys;
    for (const auto& [key, child] : value.items()) keys.push_back(key);
    for (const std::string& key : keys) {
      const std::string child_pattern = pattern_prefix + (open ? "*" : key);
      if (!open && expected_.optional_keys.count(child_pattern) == 0) {
        const Json good = value;
        value.erase(key);
        ExpectFound(prefix + key, "missing key");
        value = good;
      }
      Walk(value[key], prefix + key, child_pattern);
    }
  }

  Json document_;
  const CorruptionExpectations& expected_;
  const std::function<absl::Status(const std::string&)>& parse_;
  size_t corruptions_ = 0;
};

}  // namespace

void ExpectEveryCorruptionFound(const std::string& text, const CorruptionExpectations& expected,
                                const std::function<absl::Status(const std::string&)>& parse) {
  ASSERT_TRUE(parse(text).ok()) << parse(text);
  Corrupter corrupter(Json::parse(text), expected, parse);
  corrupter.Walk(corrupter.document(), "", "");
  EXPECT_GT(corrupter.corruptions(), 10u);
}

}  // namespace hydra::artifact
