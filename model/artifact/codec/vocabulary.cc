#include "model/artifact/codec/vocabulary.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "model/uncertainty/scores.h"

namespace hydra::artifact::codec {

void CheckNumerics(const JsonNode& node, absl::string_view dtype) {
  if (std::find(kNumerics.begin(), kNumerics.end(), dtype) != kNumerics.end()) return;
  node.Fail(absl::StrCat("got \"", dtype, "\", want one of ", absl::StrJoin(kNumerics, ", ")));
}

bool IsScore(absl::string_view name) {
  return name == "novelty" || uncertainty::ParseScore(name).ok();
}

bool NeedsMembers(absl::string_view name) {
  const auto score = uncertainty::ParseScore(name);
  return score.ok() && uncertainty::ComparesMembers(*score);
}

void CheckScore(const JsonNode& node, absl::string_view name, size_t members) {
  if (!IsScore(name)) {
    node.Fail(absl::StrCat("got \"", name, "\", want the name of a score"));
  } else if (members == 1 && NeedsMembers(name)) {
    node.Fail(absl::StrCat("got ", name, ", which is unset with one member"));
  }
}

}  // namespace hydra::artifact::codec
