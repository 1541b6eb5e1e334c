#include "model/uncertainty/conformal.h"

#include <algorithm>
#include <numeric>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/check.h"

namespace hydra::uncertainty {
namespace {

std::vector<size_t> RankClasses(absl::Span<const float> probs) {
  std::vector<size_t> ranked(probs.size());
  std::iota(ranked.begin(), ranked.end(), size_t{0});
  std::stable_sort(ranked.begin(), ranked.end(),
                   [&](size_t a, size_t b) { return probs[a] > probs[b]; });
  return ranked;
}

// s of the class `probability` whose rank brings the mass to `mass`.
double Score(ConformalMethod method, float probability, double mass) {
  return method == ConformalMethod::kLac ? 1.0 - static_cast<double>(probability) : mass;
}

}  // namespace

absl::string_view ConformalMethodName(ConformalMethod method) {
  return method == ConformalMethod::kLac ? "lac" : "aps";
}

absl::StatusOr<ConformalMethod> ParseConformalMethod(absl::string_view name) {
  if (name == "lac") return ConformalMethod::kLac;
  if (name == "aps") return ConformalMethod::kAps;
  return absl::InvalidArgumentError(
      absl::StrCat("conformal method: got \"", name, "\", want one of lac, aps"));
}

double ConformalScore(absl::Span<const float> probs, size_t label, ConformalMethod method) {
  HYDRA_CHECK(label < probs.size());
  double mass = 0.0;
  for (const size_t c : RankClasses(probs)) {
    mass += probs[c];
    if (c == label) break;
  }
  return Score(method, probs[label], mass);
}

std::vector<size_t> ConformalSet(absl::Span<const float> probs, double quantile,
                                 ConformalMethod method) {
  std::vector<size_t> set;
  double mass = 0.0;
  for (const size_t c : RankClasses(probs)) {
    mass += probs[c];
    if (!(Score(method, probs[c], mass) <= quantile)) break;  // s rises with the rank
    set.push_back(c);
  }
  return set;
}

}  // namespace hydra::uncertainty
