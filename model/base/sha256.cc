#include "model/base/sha256.h"

#include <openssl/evp.h>

#include <array>

#include "absl/strings/escaping.h"
#include "model/base/check.h"

namespace hydra::base {

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  HYDRA_CHECK(context_ != nullptr && EVP_DigestInit_ex(context_, EVP_sha256(), nullptr) == 1);
}

Sha256::~Sha256() { EVP_MD_CTX_free(context_); }

void Sha256::Update(absl::string_view bytes) {
  HYDRA_CHECK(EVP_DigestUpdate(context_, bytes.data(), bytes.size()) == 1);
}

std::string Sha256::HexDigest() && {
  std::array<unsigned char, 32> digest{};
  HYDRA_CHECK(EVP_DigestFinal_ex(context_, digest.data(), nullptr) == 1);
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(digest.data()), digest.size()));
}

std::string Sha256Hex(absl::string_view bytes) {
  Sha256 hash;
  hash.Update(bytes);
  return std::move(hash).HexDigest();
}

}  // namespace hydra::base
