#include "server/rpc/control/head_map_conversion.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/status_detail.h"
#include "tests/fakes/fake_bundle.h"

namespace hydra::rpc {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(MakeHeadMapTest, Layers_ShowKeptHeadsAndStreams) {
  const auto map = MakeHeadMap(fakes::FakeServedBundle(3), {});
  ASSERT_TRUE(map.ok()) << map.status();
  EXPECT_EQ(map->members(), 3u);
  EXPECT_EQ(map->heads(), 4u);
  ASSERT_EQ(map->layers_size(), 2);
  EXPECT_EQ(map->layers(0).members(2).stream(), 0u);
  EXPECT_THAT(map->layers(0).members(2).kept(), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(map->layers(1).members(2).stream(), 2u);
  EXPECT_THAT(map->layers(1).members(0).kept(), ElementsAre(0, 1));
  EXPECT_THAT(map->layers(1).members(1).kept(), ElementsAre(1, 2));
}

TEST(MakeHeadMapTest, Overlaps_CountPairsOverAllLayers) {
  const auto map = MakeHeadMap(fakes::FakeServedBundle(3), {});
  ASSERT_EQ(map->overlaps_size(), 3);
  EXPECT_EQ(map->overlaps(0).first(), 0u);
  EXPECT_EQ(map->overlaps(0).second(), 1u);
  EXPECT_EQ(map->overlaps(0).shared(), 5u);  // four in the trunk, one in the branch
  EXPECT_EQ(map->overlaps(0).total(), 7u);
  EXPECT_DOUBLE_EQ(map->overlaps(0).jaccard(), 5.0 / 7.0);
  EXPECT_DOUBLE_EQ(map->overlaps(2).jaccard(), 1.0);
  EXPECT_EQ(MakeHeadMap(fakes::FakeServedBundle(1), {})->overlaps_size(), 0);
}

TEST(MakeHeadMapTest, ChosenLayers_ComeAscendingAndOnce) {
  const std::vector<uint32_t> layers = {1, 0, 1};
  EXPECT_EQ(MakeHeadMap(fakes::FakeServedBundle(), layers)->layers_size(), 2);
  const std::vector<uint32_t> last = {1};
  EXPECT_EQ(MakeHeadMap(fakes::FakeServedBundle(), last)->layers(0).layer(), 1u);
}

TEST(MakeHeadMapTest, UnknownLayer_NamesItsPlace) {
  const std::vector<uint32_t> layers = {0, 2};
  const absl::Status status = MakeHeadMap(fakes::FakeServedBundle(), layers).status();
  EXPECT_EQ(base::FieldViolationsOf(status)[0].path, "layers[1]");
}

TEST(MakeHeadMapTest, Importance_ComesFromTheBundlesHeadMap) {
  policy::ServedBundle bundle = fakes::FakeServedBundle(2);
  EXPECT_THAT(MakeHeadMap(bundle, {})->layers(0).heads(), IsEmpty());
  bundle.head_map = artifact::HeadMap{
      .layers = 2,
      .members = 2,
      .heads = 4,
      .importance = {{.method = "taylor", .values = {{1, 2, 3, 4}, {5, 6, 7, 8}}},
                     {.method = "circuit", .member = 1, .values = {{9, 9, 9, 9}, {9, 9, 9, 9}}}},
      .clusters = {{0, 0, 1, 1}, {1, 1, 0, 0}},
      .clustering = artifact::HeadClustering{.representatives = {{0, 1}, {1, 0}},
                                             .davies_bouldin = 1.5,
                                             .silhouette = 0.25,
                                             .inputs = 256,
                                             .affinity = "shifted"},
      .effects = artifact::HeadEffects{.inputs = 200,
                                       .nll_nats = 0.5,
                                       .accuracy = 0.75,
                                       .nll_change_nats = {{1, 2, 3, 4}, {5, 6, 7, 8}},
                                       .accuracy_change = {{0, 0, 0, 0}, {0, 0, -0.5, 0}}},
      .provenance = {.selection = "taylor", .data_digest = "x", .seed = 3}};
  const auto map = MakeHeadMap(bundle, {});
  ASSERT_TRUE(map.ok());
  const v1::HeadFacts& facts = map->layers(1).heads(2);
  EXPECT_EQ(facts.importance().at("taylor"), 7.0);
  EXPECT_EQ(facts.importance().at("circuit/1"), 9.0);
  EXPECT_EQ(facts.cluster(), 0u);
  EXPECT_EQ(facts.effect().nll_change_nats(), 7.0);
  EXPECT_EQ(facts.effect().accuracy_change(), -0.5);
  EXPECT_EQ(map->effect_basis().inputs(), 200u);
  EXPECT_EQ(map->effect_basis().nll_nats(), 0.5);
  EXPECT_EQ(map->effect_basis().accuracy(), 0.75);
  ASSERT_EQ(map->clustering().representatives_size(), 2);
  EXPECT_EQ(map->clustering().representatives(0).head(), 1u);
  EXPECT_EQ(map->clustering().representatives(1).layer(), 1u);
  EXPECT_EQ(map->clustering().davies_bouldin(), 1.5);
  EXPECT_EQ(map->clustering().silhouette(), 0.25);
  EXPECT_EQ(map->clustering().inputs(), 256u);
  EXPECT_EQ(map->clustering().affinity(), "shifted");
  EXPECT_EQ(map->provenance().method(), "taylor");
  EXPECT_EQ(map->provenance().seed(), 3u);
}

}  // namespace
}  // namespace hydra::rpc
