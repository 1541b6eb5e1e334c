#include "model/artifact/codec/head_map_codec.h"

#include <functional>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/artifact/codec/head_overlap.h"
#include "tests/golden/tiny_bundle.h"
#include "tests/unit/model/artifact/codec/json_corruption.h"

namespace hydra::artifact::codec {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const BundleDocuments& Tiny() {
  static const BundleDocuments documents = golden::TinyBundle().documents;
  return documents;
}

std::string ErrorAfter(const std::function<void(HeadMap&)>& change) {
  HeadMap map = *Tiny().head_map;
  change(map);
  return std::string(ParseHeadMap(EncodeHeadMap(map).value(), Tiny().manifest).status().message());
}

TEST(HeadMapCodecTest, Parse_WhatEncodeWrote_EncodesToTheSameText) {
  const std::string text = EncodeHeadMap(*Tiny().head_map).value();
  const auto parsed = ParseHeadMap(text, Tiny().manifest);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(EncodeHeadMap(*parsed).value(), text);
}

TEST(HeadMapCodecTest, Parse_AnyFieldCorrupted_NamesIt) {
  const CorruptionExpectations expected{
      .file = "headmap.json",
      .optional_keys = {"clusters", "importance[].member", "provenance.data_digest",
                        "provenance.choices.*=empty"},
      .open_objects = {"provenance.choices"},
      .signed_numbers = {"importance[].values[][]"}};
  ExpectEveryCorruptionFound(
      EncodeHeadMap(*Tiny().head_map).value(), expected,
      [](const std::string& text) { return ParseHeadMap(text, Tiny().manifest).status(); });
}

TEST(HeadMapCodecTest, Parse_OtherHeadsThanTheManifest_IsRefused) {
  EXPECT_THAT(ErrorAfter([](HeadMap& m) { m.kept[1][1] = {0}; }),
              HasSubstr("kept[1][1]: got other heads than manifest.json"));
  EXPECT_THAT(ErrorAfter([](HeadMap& m) { m.overlap[0][1] = 0.5; }), HasSubstr("overlap: [0][1]"));
  EXPECT_THAT(ErrorAfter([](HeadMap& m) { m.importance[0].values[1].pop_back(); }),
              HasSubstr("importance[0].values[1]: got 1 items, want 2"));
}

TEST(MemberOverlapTest, SetsOverLayers_GiveJaccard) {
  const auto overlap = MemberOverlap({{{0, 1}, {1, 2}}, {{3}, {3}}});
  ASSERT_EQ(overlap.size(), 2u);
  EXPECT_THAT(overlap[0], ElementsAre(1.0, 0.5));
  EXPECT_THAT(overlap[1], ElementsAre(0.5, 1.0));
  EXPECT_THAT(MemberOverlap({{{}, {}}})[0], ElementsAre(1.0, 1.0));
}

}  // namespace
}  // namespace hydra::artifact::codec
