#include "model/builder/recipe/recipe.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hydra::builder {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kRecipe[] = R"(
data:
  pool: {kind: idx, images: images.idx, labels: /data/labels.idx, limit: 100}
  test: {kind: image_folder, path: test}
  ood:
    digits: {kind: idx, images: ../digits.idx}
  label_names: [a, b]
  splits: {select: 10, certify: 20, seed: 3}
base: base
compare:
  random_masks: true
select: {keep: 2, overlap_penalty: 1.5}
finetune: {mode: joint, steps: 7}
calibrate: {alphas: [0.2]}
pack: {name: tiny}
)";

TEST(ParseRecipe, EverySection_FillsTheOptionsOfItsStep) {
  const auto recipe = ParseRecipe(kRecipe, "r.yaml", "/recipes/x");
  ASSERT_TRUE(recipe.ok()) << recipe.status();
  EXPECT_EQ(recipe->data.data, "idx:/recipes/x/images.idx,/data/labels.idx;limit=100");
  EXPECT_EQ(recipe->data.test, "image_folder:/recipes/x/test");
  EXPECT_THAT(recipe->data.ood, ElementsAre("digits=idx:/recipes/digits.idx"));
  EXPECT_EQ(recipe->data.splits.select, 10u);
  EXPECT_EQ(recipe->data.splits.fit, data::SplitSizes{}.fit);
  EXPECT_EQ(recipe->data.split_seed, 3u);
  EXPECT_EQ(recipe->base, "/recipes/x/base");
  EXPECT_TRUE(recipe->random_masks);
  EXPECT_EQ(recipe->select.overlap_penalty, 1.5);
  EXPECT_EQ(recipe->finetune.mode, "joint");
  EXPECT_THAT(recipe->calibrate.alphas, ElementsAre(0.2));
  EXPECT_EQ(recipe->pack.name, "tiny");
}

TEST(ParseRecipe, DistanceAndHeldOutClasses_AreRead) {
  const auto recipe = ParseRecipe(
      "data:\n  pool: {kind: idx, images: a, labels: b}\n  held_out_classes: [shirt]\n"
      "  ood: {x: {kind: idx, images: c, distance: near}, y: {kind: idx, images: d, distance: far},"
      " z: {kind: idx, images: e}}\nbase: x\n",
      "r.yaml", "/");
  ASSERT_TRUE(recipe.ok()) << recipe.status();
  EXPECT_THAT(recipe->data.near_ood, ElementsAre("x"));
  EXPECT_THAT(recipe->data.ood, ElementsAre("x=idx:/c", "y=idx:/d", "z=idx:/e"));
  EXPECT_THAT(recipe->data.held_out_classes, ElementsAre("shirt"));
}

TEST(ParseRecipe, AnotherDistance_IsRefusedByName) {
  const auto recipe = ParseRecipe(
      "data:\n  pool: {kind: idx, images: a, labels: b}\n"
      "  ood: {x: {kind: idx, images: c, distance: close}}\nbase: x\n",
      "r.yaml", "/");
  EXPECT_THAT(std::string(recipe.status().message()), HasSubstr("data.ood.x.distance"));
}

TEST(ParseRecipe, UnknownKey_IsNamedWithItsLineAndTheNearestName) {
  const auto recipe = ParseRecipe(
      "data:\n  pool: {kind: idx, images: a, labels: b}\nbase: x\nfinetune:\n  stpes: 3\n",
      "r.yaml", "/");
  EXPECT_EQ(recipe.status().code(), absl::StatusCode::kInvalidArgument);
  const std::string message(recipe.status().message());
  EXPECT_THAT(message, HasSubstr("r.yaml:5"));
  EXPECT_THAT(message, HasSubstr("finetune.stpes"));
  EXPECT_THAT(message, HasSubstr("steps"));
}

TEST(ParseRecipe, Align_HasItsTextBesideTheRecipeAndPromptsOfItsOwn) {
  const auto recipe = ParseRecipe(
      "data: {pool: {kind: idx, images: a, labels: b}, label_names: [a, b, c], classes: [c, a]}\n"
      "align: {text: bert, width: 32}\nzeroshot: {vilu_steps: 3}\n",
      "r.yaml", "/x");
  ASSERT_TRUE(recipe.ok()) << recipe.status();
  EXPECT_EQ(recipe->align->text, "/x/bert");
  EXPECT_EQ(recipe->align->image.width, 32u);
  EXPECT_THAT(recipe->prompts->templates, ElementsAre("a photo of a {}."));
  EXPECT_EQ(recipe->zeroshot->vilu_steps, 3u);
  EXPECT_THAT(recipe->data.classes, ElementsAre("c", "a"));
}

TEST(ParseRecipe, NeitherBaseNorTrain_IsRefused) {
  const auto recipe =
      ParseRecipe("data:\n  pool: {kind: idx, images: a, labels: b}\n", "r.yaml", "/");
  EXPECT_THAT(std::string(recipe.status().message()),
              HasSubstr("want one of base (a checkpoint), train and align"));
}

TEST(ParseRecipe, BothBaseAndTrain_IsRefused) {
  const auto recipe =
      ParseRecipe("data:\n  pool: {kind: idx, images: a, labels: b}\nbase: x\ntrain: {epochs: 1}\n",
                  "r.yaml", "/");
  EXPECT_THAT(std::string(recipe.status().message()), HasSubstr("base"));
}

TEST(ParseRecipe, SeedsOfADeepEnsembleWithoutTrain_AreRefused) {
  const auto recipe = ParseRecipe(
      "data:\n  pool: {kind: idx, images: a, labels: b}\nbase: x\ncompare: {deep_ensemble_seeds: "
      "[1]}\n",
      "r.yaml", "/");
  EXPECT_THAT(std::string(recipe.status().message()), HasSubstr("needs train"));
}

TEST(ParseRecipe, PoolWithoutImages_IsRefused) {
  const auto recipe = ParseRecipe("data:\n  pool: {kind: idx}\nbase: x\n", "r.yaml", "/");
  EXPECT_THAT(std::string(recipe.status().message()), HasSubstr("data.pool.images"));
}

}  // namespace
}  // namespace hydra::builder
