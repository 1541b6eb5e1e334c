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

// With everything that a head map may have.
HeadMap Interpreted() {
  HeadMap map = *Tiny().head_map;
  map.clusters = {{0, 1}, {1, 1}};
  map.clustering = HeadClustering{.representatives = {{0, 0}, {1, 1}},
                                  .davies_bouldin = 0.5,
                                  .silhouette = 0.25,
                                  .inputs = 20,
                                  .affinity = "shifted"};
  map.effects = HeadEffects{.inputs = 20,
                            .nll_nats = 0.5,
                            .accuracy = 0.75,
                            .nll_change_nats = {{0.5, -0.25}, {0.0, 0.125}},
                            .accuracy_change = {{-0.5, 0.25}, {0.0, 0.0}}};
  return map;
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

TEST(HeadMapCodecTest, ClustersAndEffects_ReadBackAsWritten) {
  const std::string text = EncodeHeadMap(Interpreted()).value();
  const auto parsed = ParseHeadMap(text, Tiny().manifest);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(EncodeHeadMap(*parsed).value(), text);
  EXPECT_EQ(parsed->clustering->representatives, Interpreted().clustering->representatives);
  EXPECT_EQ(parsed->effects->nll_change_nats, Interpreted().effects->nll_change_nats);
}

TEST(HeadMapCodecTest, ClustersAndEffects_AnyFieldCorrupted_NamesIt) {
  const CorruptionExpectations expected{
      .file = "headmap.json",
      .optional_keys = {"clustering", "effects", "importance[].member", "provenance.data_digest",
                        "provenance.choices.*=empty"},
      .open_objects = {"provenance.choices"},
      .signed_numbers = {"importance[].values[][]", "clustering.davies_bouldin",
                         "clustering.silhouette", "effects.nll_nats", "effects.nll_change_nats[][]",
                         "effects.accuracy_change[][]"}};
  ExpectEveryCorruptionFound(
      EncodeHeadMap(Interpreted()).value(), expected,
      [](const std::string& text) { return ParseHeadMap(text, Tiny().manifest).status(); });
}

TEST(HeadMapCodecTest, ClusterWithoutItsRepresentative_IsRefused) {
  const auto error = [](const std::function<void(HeadMap&)>& change) {
    return ErrorAfter([&](HeadMap& map) {
      map = Interpreted();
      change(map);
    });
  };
  EXPECT_THAT(error([](HeadMap& m) {
                m.clustering->representatives[1] = {0, 0};
              }),
              HasSubstr("representatives[1]: got layer 0, head 0, want a head of cluster 1"));
  EXPECT_THAT(error([](HeadMap& m) { m.clusters[1][0] = 2; }),
              HasSubstr("representatives: got 2, want one for cluster 2"));
  EXPECT_THAT(error([](HeadMap& m) { m.clusters.clear(); }),
              HasSubstr("clustering: want clusters beside it"));
  EXPECT_THAT(error([](HeadMap& m) { m.effects->accuracy_change.pop_back(); }),
              HasSubstr("effects.accuracy_change: got 1 items, want 2"));
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
