#include "model/builder/interpreting/interpretation.h"

#include <string>

#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hydra::builder {
namespace {

using ::testing::HasSubstr;

Interpretation Sample() {
  return {.layers = 2,
          .heads = 2,
          .clusters = {{0, 1}, {1, 1}},
          .clustering = {.representatives = {{0, 0}, {1, 0}},
                         .davies_bouldin = 1.5,
                         .silhouette = -0.25,
                         .inputs = 40,
                         .affinity = "shifted"},
          .effects = artifact::HeadEffects{.inputs = 40,
                                           .nll_nats = 0.5,
                                           .accuracy = 0.75,
                                           .nll_change_nats = {{0.5, 1}, {-1, 0}},
                                           .accuracy_change = {{0, 0}, {-0.5, 0}}},
          .choices = {{"interpret_images", "40"}},
          .gallery = {.heads = {{0, 0}, {1, 0}}, .inputs = {"boot", "bag"}, .pictures = true}};
}

TEST(InterpretationTest, Parse_WhatEncodeWrote_EncodesToTheSameText) {
  const std::string text = EncodeInterpretation(Sample());
  const auto parsed = ParseInterpretation(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(EncodeInterpretation(*parsed), text);
  EXPECT_EQ(parsed->gallery.inputs, Sample().gallery.inputs);
}

TEST(InterpretationTest, Parse_AFieldOfTheWrongKind_IsNamed) {
  const std::string text = EncodeInterpretation(Sample());
  const auto error = [&](const std::string& from, const std::string& to) {
    const std::string changed = absl::StrReplaceAll(text, {{from, to}});
    EXPECT_NE(changed, text);
    return std::string(ParseInterpretation(changed).status().message());
  };
  EXPECT_THAT(error("\"pictures\": true", "\"pictures\": 3"), HasSubstr("gallery.pictures"));
  EXPECT_THAT(error("\"layers\": 2", "\"layers\": 3"), HasSubstr("clusters: got 2 items, want 3"));
  EXPECT_THAT(error("\"silhouette\": -0.25", "\"silhouette\": -2"), HasSubstr("silhouette"));
  EXPECT_THAT(error("\"gallery\"", "\"galery\""), HasSubstr("gal"));
}

TEST(AddToHeadMapTest, SameBase_FillsWhatIsKnown) {
  artifact::HeadMap map{.layers = 2, .members = 1, .heads = 2};
  ASSERT_TRUE(AddToHeadMap(Sample(), map).ok());
  EXPECT_EQ(map.clusters, Sample().clusters);
  EXPECT_EQ(map.clustering->representatives, Sample().clustering.representatives);
  EXPECT_EQ(map.effects->nll_nats, 0.5);
  EXPECT_EQ(map.provenance.choices.at("interpret_images"), "40");
}

TEST(AddToHeadMapTest, AnotherBase_IsRefused) {
  artifact::HeadMap map{.layers = 2, .members = 1, .heads = 3};
  const absl::Status status = AddToHeadMap(Sample(), map);
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_THAT(status.message(), HasSubstr("got 2 layers of 2 heads, want 2 of 3"));
}

}  // namespace
}  // namespace hydra::builder
