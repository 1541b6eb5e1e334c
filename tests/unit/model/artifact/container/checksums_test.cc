#include "model/artifact/container/checksums.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/sha256.h"

namespace hydra::artifact::container {
namespace {

using ::testing::HasSubstr;

FileMap Sealed() {
  FileMap files = {{"a", "1"}, {"b/c", "2"}};
  files[kChecksumsFile] = EncodeChecksums(files);
  return files;
}

std::string ErrorWith(const std::string& sums) {
  FileMap files = Sealed();
  files[kChecksumsFile] = sums;
  return std::string(VerifyChecksums(files).status().message());
}

TEST(ChecksumsTest, Encode_Files_IsWhatSha256sumPrints) {
  EXPECT_EQ(Sealed()[kChecksumsFile],
            absl::StrCat(base::Sha256Hex("1"), "  a\n", base::Sha256Hex("2"), "  b/c\n"));
  EXPECT_EQ(VerifyChecksums(Sealed())->at("a"), base::Sha256Hex("1"));
}

TEST(ChecksumsTest, Verify_LinesThatAreNotCanonical_AreRefused) {
  const std::string a = absl::StrCat(base::Sha256Hex("1"), "  a\n");
  const std::string c = absl::StrCat(base::Sha256Hex("2"), "  b/c\n");
  EXPECT_EQ(ErrorWith(a + c), "");
  EXPECT_THAT(ErrorWith(c + a), HasSubstr("line 2: a: want paths in ascending order"));
  EXPECT_THAT(ErrorWith(a + a + c), HasSubstr("ascending order"));
  EXPECT_THAT(ErrorWith(a + c + "\n"), HasSubstr("line 3: want 64"));
  EXPECT_THAT(ErrorWith(a + c.substr(0, c.size() - 1)), HasSubstr("truncated"));
  EXPECT_THAT(ErrorWith(a), HasSubstr("b/c: not listed"));
  EXPECT_THAT(ErrorWith(a + c + absl::StrCat(base::Sha256Hex(""), "  d\n")),
              HasSubstr("d: missing file"));
  EXPECT_THAT(ErrorWith(absl::StrCat(base::Sha256Hex(""), "  ../d\n")), HasSubstr("below"));
  EXPECT_THAT(ErrorWith(absl::StrCat(base::Sha256Hex(""), "  SHA256SUMS\n")),
              HasSubstr("cannot list itself"));
  EXPECT_THAT(ErrorWith(absl::StrCat(base::Sha256Hex("2"), "  a\n") + c),
              HasSubstr("a: got sha256"));
}

}  // namespace
}  // namespace hydra::artifact::container
