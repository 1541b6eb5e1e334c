#include "model/artifact/codec/manifest_codec.h"

#include <functional>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/golden/tiny_bundle.h"
#include "tests/unit/model/artifact/codec/json_corruption.h"

namespace hydra::artifact::codec {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

Manifest TinyManifest() { return golden::TinyBundle().documents.manifest; }

Manifest ReaderManifest() {
  Manifest manifest = TinyManifest();
  manifest.member_mode = MemberMode::kReader;
  manifest.reader =
      ReaderPlan{.first_layer = 1, .mlp = "low_rank", .mlp_rank = 2, .trunk_heads = {{0}, {0, 1}}};
  return manifest;
}

// A text encoder with what ViT does not have.
Manifest TextManifest() {
  Manifest manifest = TinyManifest();
  manifest.family = "bert";
  manifest.geometry.norm_first = false;
  manifest.geometry.embedding_norm = true;
  manifest.geometry.pooler = "tanh";
  manifest.geometry.vocabulary = 37;
  manifest.geometry.max_positions = 13;
  manifest.geometry.token_types = 2;
  for (size_t* image : {&manifest.geometry.image_height, &manifest.geometry.image_width,
                        &manifest.geometry.channels, &manifest.geometry.patch_size})
    *image = 0;
  return manifest;
}

std::string ErrorAfter(const std::function<void(Manifest&)>& change) {
  Manifest manifest = TinyManifest();
  change(manifest);
  return std::string(ParseManifest(EncodeManifest(manifest).value()).status().message());
}

TEST(ManifestCodecTest, Parse_WhatEncodeWrote_EncodesToTheSameText) {
  for (const Manifest& manifest : {TinyManifest(), ReaderManifest()}) {
    const std::string text = EncodeManifest(manifest).value();
    const auto parsed = ParseManifest(text);
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(EncodeManifest(*parsed).value(), text);
  }
}

TEST(ManifestCodecTest, Parse_TextEncoder_KeepsItsGeometry) {
  const Manifest manifest = TextManifest();
  const std::string text = EncodeManifest(manifest).value();
  const auto parsed = ParseManifest(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->geometry, manifest.geometry);
  EXPECT_EQ(EncodeManifest(*parsed).value(), text);
  Json json = Json::parse(text);
  json["geometry"]["pooler"] = "gelu";
  EXPECT_THAT(ParseManifest(json.dump()).status().message(),
              HasSubstr("geometry.pooler: got \"gelu\""));
  json["geometry"]["pooler"] = "relu";
  json["geometry"]["norm_first"] = 0;
  EXPECT_THAT(ParseManifest(json.dump()).status().message(), HasSubstr("geometry.norm_first"));
}

TEST(ManifestCodecTest, Parse_AnyFieldCorrupted_NamesIt) {
  const CorruptionExpectations expected{
      .file = "manifest.json",
      .optional_keys = {"novelty", "provenance.created", "provenance.recipe=empty",
                        "provenance.choices.*=empty"},
      .open_objects = {"provenance.data_digests", "provenance.choices"},
  };
  for (const Manifest& manifest : {TinyManifest(), ReaderManifest()}) {
    ExpectEveryCorruptionFound(
        EncodeManifest(manifest).value(), expected,
        [](const std::string& text) { return ParseManifest(text).status(); });
  }
}

TEST(ManifestCodecTest, Parse_LaterFormatVersion_SaysSoFirst) {
  EXPECT_EQ(ParseManifest(R"({"format_version": 2, "future": 1})").status().message(),
            "manifest.json: format_version: got 2, want 1..1");
}

TEST(ManifestCodecTest, Parse_StreamsThatAreNoPartition_AreRefused) {
  EXPECT_THAT(ErrorAfter([](Manifest& m) {
                m.layers[1].streams = {{0, 1}, {1, 2}};
              }),
              HasSubstr("layers[1]: got member 1 in streams 0 and 1"));
  EXPECT_THAT(ErrorAfter([](Manifest& m) {
                m.layers[1].streams = {{0}, {1}};
              }),
              HasSubstr("layers[1]: got no stream for member 2"));
  EXPECT_THAT(ErrorAfter([](Manifest& m) {
                m.layers[1].streams = {{2, 0}, {1}};
              }),
              HasSubstr("layers[1].streams[0]: got 0 after 2"));
  EXPECT_THAT(ErrorAfter([](Manifest& m) {
                m.layers[1].streams = {{0, 3}, {1}};
              }),
              HasSubstr("layers[1].streams[0][1]: got 3, want 0..2"));
}

TEST(ManifestCodecTest, Parse_MembersThatComeTogetherAgain_AreRefused) {
  EXPECT_THAT(ErrorAfter([](Manifest& m) {
                m.branch_layer = 0;
                m.layers[0].streams = {{0}, {1, 2}};
                m.layers[0].heads = {{0}, {1}};
              }),
              HasSubstr("layers[1]: got members 0 and 2 together in stream 0"));
}

TEST(ManifestCodecTest, Parse_HeadsOutOfOrderOrRange_AreRefused) {
  EXPECT_THAT(ErrorAfter([](Manifest& m) {
                m.layers[0].heads[0] = {1, 0};
              }),
              HasSubstr("layers[0].heads[0]: got 0 after 1"));
  EXPECT_THAT(ErrorAfter([](Manifest& m) {
                m.layers[0].heads[0] = {0, 0};
              }),
              HasSubstr("layers[0].heads[0]: got 0 after 0"));
  EXPECT_THAT(ErrorAfter([](Manifest& m) {
                m.layers[0].heads[0] = {0, 2};
              }),
              HasSubstr("layers[0].heads[0][1]: got 2, want 0..1"));
  EXPECT_THAT(ErrorAfter([](Manifest& m) { m.layers[1].heads.pop_back(); }),
              HasSubstr("layers[1].heads: got 1 items, want 2"));
}

TEST(ManifestCodecTest, Parse_BranchLayerThatDisagrees_IsRefused) {
  EXPECT_THAT(ErrorAfter([](Manifest& m) { m.branch_layer = 0; }),
              HasSubstr("branch_layer: got 0, want 1"));
  EXPECT_THAT(ErrorAfter([](Manifest& m) { m.layers[1] = m.layers[0]; }),
              HasSubstr("branch_layer: got 1, want 2"));
}

TEST(ManifestCodecTest, Parse_SharedQkvBehindTheBranch_IsRefused) {
  EXPECT_EQ(ErrorAfter([](Manifest& m) { m.layers[1].shared_qkv = true; }), "");
  EXPECT_THAT(ErrorAfter([](Manifest& m) {
                m.branch_layer = 0;
                m.layers[0] = m.layers[1];
                m.layers[1].shared_qkv = true;
              }),
              HasSubstr("layers[1]: got shared_qkv"));
}

TEST(ManifestCodecTest, Parse_FieldsOfAnotherModality_AreUnknownKeys) {
  EXPECT_THAT(ErrorAfter([](Manifest& m) { m.family = "bert"; }), HasSubstr("vocabulary: got 0"));
  EXPECT_THAT(ErrorAfter([](Manifest& m) { m.family = "resnet"; }),
              HasSubstr("family: got \"resnet\""));
  Json json = Json::parse(EncodeManifest(TinyManifest()).value());
  json["geometry"]["vocabulary"] = 10;
  EXPECT_THAT(ParseManifest(json.dump()).status().message(),
              HasSubstr("geometry.vocabulary: unknown key"));
}

TEST(ManifestCodecTest, Parse_BadNames_AreRefused) {
  for (const char* name : {"Tiny", "-tiny", "a b", "a/b", "..", ""}) {
    EXPECT_THAT(ErrorAfter([name](Manifest& m) { m.name = name; }),
                HasSubstr("manifest.json: name: "));
  }
}

}  // namespace
}  // namespace hydra::artifact::codec
