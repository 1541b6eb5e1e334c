#include "model/artifact/container/tar_archive.h"

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hydra::artifact::container {
namespace {

using ::testing::HasSubstr;

constexpr ReadLimits kLimits{};

const FileMap& Files() {
  static const FileMap files = {
      {"a.json", "{}"}, {"empty", ""}, {"preprocess/image.json", std::string(700, 'x')}};
  return files;
}

using Patches = std::vector<std::pair<size_t, std::string>>;  // offset, new bytes

// The archive with bytes of the first entry changed and its header checksum mended.
std::string Patched(const Patches& patches) {
  std::string archive = EncodeTar(Files()).value();
  for (const auto& [offset, bytes] : patches) archive.replace(offset, bytes.size(), bytes);
  archive.replace(148, 8, 8, ' ');
  unsigned sum = 0;
  for (size_t i = 0; i < 512; ++i) sum += static_cast<unsigned char>(archive[i]);
  char text[8];
  std::snprintf(text, sizeof(text), "%06o", sum);
  archive.replace(148, 7, text, 7);
  return archive;
}

std::string Patched(size_t offset, const std::string& bytes) { return Patched({{offset, bytes}}); }

TEST(TarArchiveTest, Parse_WhatEncodeWrote_IsEqual) {
  const auto files = ParseTar(EncodeTar(Files()).value(), kLimits);
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_EQ(*files, Files());
}

TEST(TarArchiveTest, Parse_CutAtAnyByte_IsAnError) {
  const std::string archive = EncodeTar(Files()).value();
  for (size_t size = 0; size < archive.size(); ++size) {
    ASSERT_FALSE(ParseTar(archive.substr(0, size), kLimits).ok()) << size;
  }
}

TEST(TarArchiveTest, Parse_PathsOutOfTheBundle_AreRefused) {
  for (const char* path : {"../x", "/x", "a/../b", "a//b", "a\nb", "a/b/c/d/e", "."}) {
    EXPECT_THAT(
        ParseTar(Patched(0, std::string(path) + std::string(8, '\0')), kLimits).status().message(),
        HasSubstr("below the bundle"))
        << path;
  }
}

TEST(TarArchiveTest, Parse_LeadingDot_IsDropped) {
  const auto files = ParseTar(Patched(0, std::string("./a.json\0", 9)), kLimits);
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_EQ(files->count("a.json"), 1u);
}

TEST(TarArchiveTest, Parse_LinksAndDevices_AreRefused) {
  for (const char type : {'1', '2', '3', '4', '6', 'L', 'K', 'S'}) {
    EXPECT_THAT(ParseTar(Patched(156, std::string(1, type)), kLimits).status().message(),
                HasSubstr("want only files and folders"));
  }
}

TEST(TarArchiveTest, Parse_BrokenHeader_IsRefused) {
  std::string archive = EncodeTar(Files()).value();
  archive[0] = 'b';
  EXPECT_THAT(ParseTar(archive, kLimits).status().message(), HasSubstr("wrong header checksum"));
  EXPECT_THAT(ParseTar(Patched(257, "xstar"), kLimits).status().message(),
              HasSubstr("not a ustar header"));
  EXPECT_THAT(ParseTar(Patched(124, "99999999999"), kLimits).status().message(),
              HasSubstr("not an octal number"));
  EXPECT_THAT(ParseTar(Patched(124, "77777777777"), kLimits).status().message(),
              HasSubstr("truncated: got"));
  EXPECT_THAT(ParseTar(Patched(124, std::string(1, '\x80')), kLimits).status().message(),
              HasSubstr("not an octal number"));
}

TEST(TarArchiveTest, Parse_SamePathTwice_IsRefused) {
  const std::string one = EncodeTar({{"a.json", "{}"}}).value();
  const std::string twice = one.substr(0, 1024) + one;
  EXPECT_THAT(ParseTar(twice, kLimits).status().message(), HasSubstr("a.json is there twice"));
}

TEST(TarArchiveTest, Parse_PaxHeader_IsSkippedUnlessItRenames) {
  const auto with = [](const std::string& record) {
    return ParseTar(Patched({{124, "00000000012"}, {156, "x"}, {512, record}}), kLimits);
  };
  EXPECT_TRUE(with("10 mtime=1").ok()) << with("10 mtime=1").status();
  EXPECT_THAT(with("10 path=b\n").status().message(), HasSubstr("pax header sets"));
  EXPECT_THAT(with("10 size=9\n").status().message(), HasSubstr("pax header sets"));
}

TEST(TarArchiveTest, Parse_AboveTheLimits_IsResourceExhausted) {
  const std::string archive = EncodeTar(Files()).value();
  for (const ReadLimits& limits : {ReadLimits{.max_file_bytes = 10}, ReadLimits{.max_files = 2},
                                   ReadLimits{.max_total_bytes = 1000}}) {
    EXPECT_EQ(ParseTar(archive, limits).status().code(), absl::StatusCode::kResourceExhausted);
  }
}

TEST(TarArchiveTest, Parse_BytesBehindTheEnd_AreRefused) {
  std::string archive = EncodeTar(Files()).value() + std::string(512, '\0');
  EXPECT_TRUE(ParseTar(archive, kLimits).ok());
  archive.back() = 'x';
  EXPECT_THAT(ParseTar(archive, kLimits).status().message(), HasSubstr("after the end mark"));
}

}  // namespace
}  // namespace hydra::artifact::container
