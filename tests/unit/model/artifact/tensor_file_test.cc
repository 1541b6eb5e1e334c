#include "model/artifact/tensor_file.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace hydra::artifact {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string File(const std::string& header, size_t data_bytes) {
  std::string file;
  for (size_t i = 0; i < 8; ++i) file.push_back(static_cast<char>(header.size() >> (8 * i)));
  return file + header + std::string(data_bytes, '\1');
}

absl::Status StatusOf(const std::string& header, size_t data_bytes) {
  return TensorFile::Parse(File(header, data_bytes), "t.safetensors").status();
}

std::string OneTensor(const std::string& dtype, const std::string& shape,
                      const std::string& offsets) {
  return "{\"a\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape + ",\"data_offsets\":" + offsets +
         "}}";
}

TEST(TensorFileTest, Parse_WhatEncodeWrote_IsEqual) {
  const std::vector<float> floats = {1.5f, -2.0f, 0.25f};
  const std::vector<int64_t> integers = {-1, int64_t{1} << 40};
  const auto encoded = EncodeTensors({{"b.weight", {DType::kF32, {3, 1}, BytesOf(floats)}},
                                      {"a", {DType::kI64, {2}, BytesOf(integers)}},
                                      {"scalar", {DType::kU8, {}, "\7"}},
                                      {"empty", {DType::kF16, {0, 5}, ""}}},
                                     {{"format", "pt"}});
  ASSERT_TRUE(encoded.ok()) << encoded.status();
  const auto file = TensorFile::Parse(*encoded, "t.safetensors");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->Floats("b.weight", {3, 1}).value(), floats);
  EXPECT_EQ(file->Integers("a", {2}).value(), integers);
  EXPECT_EQ(file->Find("scalar")->bytes, "\7");
  EXPECT_EQ(file->Find("empty")->values, 0u);
  EXPECT_EQ(file->metadata().at("format"), "pt");
}

TEST(TensorFileTest, Parse_OffsetsThatLie_AreRefusedByName) {
  const struct {
    std::string header;
    size_t data_bytes;
    std::string message;
  } cases[] = {
      {OneTensor("F32", "[2]", "[0,8]"), 9, "got 9 bytes of tensors, want 8"},
      {OneTensor("F32", "[2]", "[0,8]"), 7, "a.data_offsets[1]: got 8, want 0..7"},
      {OneTensor("F32", "[2]", "[8,0]"), 8, "got an end 0 before the begin 8"},
      {OneTensor("F32", "[2]", "[0,4]"), 8, "got 4 bytes, want 2 values of 4 bytes"},
      {OneTensor("F32", "[2]", "[4,12]"), 12, "begins at 4, after a gap"},
      {OneTensor("F32", "[281474976710656,65536]", "[0,8]"), 8, "more than 2^48 values"},
      {OneTensor("F32", "[4611686018427387904]", "[0,0]"), 0,
       "a.shape[0]: got 4611686018427387904"},
      {OneTensor("F32", "[281474976710656]", "[0,0]"), 0, "want 281474976710656 values"},
      {OneTensor("F32", "[-1]", "[0,4]"), 4, "a.shape[0]: got -1"},
      {OneTensor("F33", "[1]", "[0,4]"), 4, "a.dtype: got dtype \"F33\""},
      {OneTensor("F32", "[1]", "[0,4,8]"), 8, "a.data_offsets: got 3 items, want 2"},
      {"{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]},"
       "\"b\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[2,6]}}",
       6, "b.data_offsets: begins at 2, overlapping"},
      {"{\"a\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]},"
       "\"a\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}}",
       0, "key \"a\" twice"},
      {"{\"a\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0],\"x\":1}}", 0,
       "a.x: unknown key"},
      {"{\"a\":{\"dtype\":\"U8\",\"shape\":[0]}}", 0, "a.data_offsets: missing key"},
      {"{\"__metadata__\":{\"k\":1}}", 0, "__metadata__.k: got 1, want a text"},
      {"[]", 0, "want an object"},
  };
  for (const auto& [header, data_bytes, message] : cases) {
    const absl::Status status = StatusOf(header, data_bytes);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << header;
    EXPECT_THAT(status.message(), HasSubstr(message));
    EXPECT_THAT(status.message(), HasSubstr("t.safetensors: "));
  }
}

TEST(TensorFileTest, Parse_HeaderLengthThatLies_IsRefused) {
  for (const std::string& bytes : {std::string(), std::string("\0\0\0", 3), std::string(8, '\0'),
                                   std::string(16, '\xff'), File("{}", 0).substr(0, 9)}) {
    EXPECT_THAT(TensorFile::Parse(bytes, "t").status().message(), HasSubstr("header length"));
  }
}

TEST(TensorFileTest, Parse_PaddedHeader_IsAccepted) {
  EXPECT_TRUE(StatusOf(OneTensor("U8", "[1]", "[0,1]") + "    ", 1).ok());
}

TEST(TensorFileTest, Floats_WrongShapeOrDtype_NamesBoth) {
  const auto file = TensorFile::Parse(File(OneTensor("I32", "[2]", "[0,8]"), 8), "t");
  ASSERT_TRUE(file.ok());
  EXPECT_THAT(file->Floats("a", {3}).status().message(),
              HasSubstr("t: a: got shape [2], want [3]"));
  EXPECT_THAT(file->Floats("a", {2}).status().message(), HasSubstr("got dtype I32, want F32"));
  EXPECT_EQ(file->Floats("b", {2}).status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(file->Integers("a", {2}).value(), ElementsAre(0x01010101, 0x01010101));
}

TEST(TensorFileTest, EncodeTensors_BytesThatDoNotFitTheShape_AreRefused) {
  EXPECT_THAT(EncodeTensors({{"a", {DType::kF32, {2}, "1234"}}}, {}).status().message(),
              HasSubstr("a: got 4 bytes, want 2 values"));
  EXPECT_FALSE(EncodeTensors({{"__metadata__", {DType::kU8, {1}, "1"}}}, {}).ok());
  EXPECT_FALSE(EncodeTensors({{"\xff", {DType::kU8, {1}, "1"}}}, {}).ok());
}

TEST(DTypeTest, HalfToFloat_EveryPattern_FollowsIeee754) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const int exponent = static_cast<int>(bits >> 10 & 31);
    const double fraction = bits & 1023;
    const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
    const float got = HalfToFloat(static_cast<uint16_t>(bits));
    if (exponent == 31) {
      ASSERT_TRUE(fraction == 0 ? std::isinf(got) : std::isnan(got)) << bits;
      continue;
    }
    const double want = exponent == 0 ? sign * std::ldexp(fraction, -24)
                                      : sign * std::ldexp(1024 + fraction, exponent - 25);
    ASSERT_EQ(got, want) << bits;
    ASSERT_EQ(std::signbit(got), sign < 0) << bits;
  }
}

TEST(DTypeTest, BFloat16ToFloat_KnownPatterns_AreExact) {
  EXPECT_EQ(BFloat16ToFloat(0x3f80), 1.0f);
  EXPECT_EQ(BFloat16ToFloat(0xc000), -2.0f);
  EXPECT_EQ(BFloat16ToFloat(0x7f80), std::numeric_limits<float>::infinity());
}

TEST(DTypeTest, ParseDType_EveryName_RoundTrips) {
  for (const char* name : {"BOOL", "U8", "I8", "U16", "I16", "F16", "BF16", "U32", "I32", "F32",
                           "U64", "I64", "F64"}) {
    EXPECT_EQ(DTypeName(ParseDType(name).value()), name);
  }
  EXPECT_FALSE(ParseDType("f32").ok());
}

}  // namespace
}  // namespace hydra::artifact
