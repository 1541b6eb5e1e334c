#include "model/data/gzip.h"

#include <zlib.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hydra::data {
namespace {

using ::testing::HasSubstr;

std::string Gzip(const std::string& contents) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, contents.size()), '\0');
  std::string in = contents;
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

TEST(MaybeGunzipTest, PlainBytes_ComeBackUnchanged) {
  EXPECT_EQ(MaybeGunzip("plain", 1, "x").value(), "plain");
  EXPECT_EQ(MaybeGunzip("", 1, "x").value(), "");
}

TEST(MaybeGunzipTest, Stream_IsDecompressed) {
  const std::string contents(5'000'000, 'z');
  EXPECT_EQ(MaybeGunzip(Gzip(contents), contents.size(), "x").value(), contents);
}

TEST(MaybeGunzipTest, MoreThanTheLimit_IsResourceExhausted) {
  const std::string bomb = Gzip(std::string(100'000'000, '\0'));
  EXPECT_EQ(MaybeGunzip(bomb, 10'000'000, "x").status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(MaybeGunzipTest, StreamCutAtAnyByte_IsAnError) {
  const std::string stream = Gzip("some contents, some contents");
  for (size_t size = 2; size < stream.size(); ++size) {
    EXPECT_THAT(MaybeGunzip(stream.substr(0, size), 1000, "x.gz").status().message(),
                HasSubstr("x.gz: damaged or truncated"));
  }
}

TEST(MaybeGunzipTest, WrongChecksumOrBytesBehindTheEnd_AreRefused) {
  std::string stream = Gzip("some contents");
  EXPECT_THAT(MaybeGunzip(stream + "more", 1000, "x").status().message(),
              HasSubstr("got 4 bytes behind the end"));
  stream[stream.size() - 8] ^= 1;
  EXPECT_FALSE(MaybeGunzip(stream, 1000, "x").ok());
}

}  // namespace
}  // namespace hydra::data
