#include "model/base/sha256.h"

#include "gtest/gtest.h"

namespace hydra::base {
namespace {

// Vectors of FIPS 180-4, appendix B.
TEST(Sha256Test, StandardVectors_Match) {
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256Test, Pieces_EqualTheWhole) {
  Sha256 hash;
  hash.Update("a");
  hash.Update("bc");
  EXPECT_EQ(std::move(hash).HexDigest(), Sha256Hex("abc"));
}

}  // namespace
}  // namespace hydra::base
