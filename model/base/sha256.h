// SHA-256 (FIPS 180-4, through OpenSSL) of byte ranges, as lower-case hex.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

struct evp_md_ctx_st;

namespace hydra::base {

std::string Sha256Hex(absl::string_view bytes);

// For data that arrives in pieces.  Not thread-safe.
class Sha256 {
 public:
  Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  ~Sha256();
  void Update(absl::string_view bytes);
  std::string HexDigest() &&;  // 64 characters; the object is spent afterwards

 private:
  evp_md_ctx_st* context_;
};

}  // namespace hydra::base
