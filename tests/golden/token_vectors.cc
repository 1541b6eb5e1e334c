#include "tests/golden/token_vectors.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "model/base/check.h"
#include "model/base/file.h"
#include "model/base/sha256.h"
#include "model/data/gzip.h"
#include "nlohmann/json.hpp"

namespace hydra::golden {
namespace {

using nlohmann::json;

constexpr size_t kMaxBytes = size_t{64} << 20;
constexpr size_t kDigestCharacters = 8;
constexpr char kRoot[] = HYDRA_SOURCE_DIR "/tests/golden/tokenizers/";

TokenCase ReadCase(const std::string& name, const json& entry, size_t texts) {
  TokenCase read{.name = name};
  for (const json& reference : entry.at("first")) {
    read.first.push_back({reference.at("ids"), reference.at("truncated")});
  }
  const std::string digests = entry.at("digests");
  HYDRA_CHECK(digests.size() == texts * kDigestCharacters);
  for (size_t at = 0; at < digests.size(); at += kDigestCharacters) {
    read.digests.push_back(digests.substr(at, kDigestCharacters));
  }
  return read;
}

TokenVectors Load() {
  const auto packed = base::ReadFile(absl::StrCat(kRoot, "vectors.json.gz"), kMaxBytes);
  HYDRA_CHECK(packed.ok());
  const auto text = data::MaybeGunzip(*packed, kMaxBytes, "vectors.json.gz");
  HYDRA_CHECK(text.ok());
  const json file = json::parse(*text);
  TokenVectors vectors{.max_tokens = file.at("max_tokens"), .texts = file.at("texts")};
  for (const auto& [name, entry] : file.at("tokenizers").items()) {
    vectors.cases.push_back(ReadCase(name, entry, vectors.texts.size()));
  }
  return vectors;
}

}  // namespace

const TokenVectors& LoadTokenVectors() {
  static const TokenVectors& vectors = *new TokenVectors(Load());
  return vectors;
}

std::string TokenizerFolder(const std::string& name) { return kRoot + name; }

std::string DigestOf(const std::vector<int64_t>& ids, size_t truncated) {
  return base::Sha256Hex(absl::StrCat(absl::StrJoin(ids, " "), "|", truncated))
      .substr(0, kDigestCharacters);
}

}  // namespace hydra::golden
