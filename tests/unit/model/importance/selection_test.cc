#include "model/importance/selection.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/rng.h"

namespace hydra::importance {
namespace {

using ::testing::ElementsAre;

TEST(SelectHeadsTest, NoPenalty_KeepsTheMostImportant) {
  const auto members = SelectHeads({{{0.1, 0.9, 0.5, 0.7}}}, {.keep = 2});
  ASSERT_TRUE(members.ok()) << members.status();
  EXPECT_THAT((*members)[0][0], ElementsAre(1, 3));
}

TEST(SelectHeadsTest, Ties_GoToTheLowerHead) {
  const auto members = SelectHeads({{{0.5, 0.5, 0.5, 0.5}}}, {.keep = 2});
  ASSERT_TRUE(members.ok());
  EXPECT_THAT((*members)[0][0], ElementsAre(0, 1));
}

TEST(SelectHeadsTest, OverlapPenalty_MovesLaterMembersToOtherHeads) {
  const std::vector<std::vector<double>> table = {{4, 3, 2, 1}};
  const auto plain = SelectHeads({table, table}, {.keep = 2});
  const auto spread = SelectHeads({table, table}, {.keep = 2, .overlap_penalty = 4.0});
  ASSERT_TRUE(plain.ok() && spread.ok());
  EXPECT_EQ((*plain)[0], (*plain)[1]);
  EXPECT_THAT((*spread)[1][0], ElementsAre(2, 3));
}

TEST(SelectHeadsTest, BadTables_AreRefused) {
  EXPECT_FALSE(SelectHeads({}, {.keep = 1}).ok());
  EXPECT_FALSE(SelectHeads({{{1.0, NAN}}}, {.keep = 1}).ok());
  EXPECT_FALSE(SelectHeads({{{1.0, 2.0}, {1.0}}}, {.keep = 1}).ok());
  EXPECT_THAT(SelectHeads({{{1.0, 2.0}}}, {.keep = 3}).status().message(),
              ::testing::HasSubstr("want 1..2"));
}

TEST(SelectHeadsTest, KeepPerLayer_MayBeRaggedAndZero) {
  const std::vector<HeadTable> table = {{{4, 3, 2}, {1, 2, 3}, {2, 3, 1}}};
  const auto members = SelectHeads(table, {.keep_per_layer = {0, 3, 1}});
  ASSERT_TRUE(members.ok()) << members.status();
  EXPECT_THAT((*members)[0], ElementsAre(ElementsAre(), ElementsAre(0, 1, 2), ElementsAre(1)));
  EXPECT_THAT(SelectHeads(table, {.keep_per_layer = {1, 1}}).status().message(),
              ::testing::HasSubstr("want 3 numbers from 0 to 3"));
  EXPECT_FALSE(SelectHeads(table, {.keep_per_layer = {1, 1, 4}}).ok());
}

// The definition, head by head: how many heads are better, by value, then by position.
std::vector<std::vector<size_t>> SlowGlobal(const HeadTable& table, size_t budget, size_t least) {
  std::vector<std::vector<size_t>> kept(table.size());
  const auto better = [&](size_t l, size_t h, size_t a, size_t b) {
    return table[a][b] > table[l][h] ||
           (table[a][b] == table[l][h] && std::make_pair(a, b) < std::make_pair(l, h));
  };
  const auto guarded = [&](size_t l, size_t h) {
    size_t before = 0;
    for (size_t b = 0; b < table[l].size(); ++b) before += better(l, h, l, b);
    return before < least;
  };
  const size_t heads = table[0].size();
  for (size_t i = 0; i < table.size() * heads; ++i) {
    const size_t l = i / heads, h = i % heads;
    size_t before = 0;
    for (size_t j = 0; j < table.size() * heads; ++j) {
      const size_t a = j / heads, b = j % heads;
      before += guarded(a, b) != guarded(l, h) ? guarded(a, b) : better(l, h, a, b);
    }
    if (before < budget) kept[l].push_back(h);
  }
  return kept;
}

TEST(SelectGloballyTest, RandomTables_EqualTheDefinition) {
  base::Rng rng(3);
  for (int round = 0; round < 100; ++round) {
    const size_t layers = 1 + rng.UniformBelow(6), heads = 1 + rng.UniformBelow(8);
    HeadTable table(layers, std::vector<double>(heads));
    for (auto& row : table) {
      for (double& value : row) value = static_cast<double>(rng.UniformBelow(12));  // ties
    }
    const size_t least = rng.UniformBelow(heads + 1);
    const size_t smallest = std::max<size_t>(1, layers * least);
    const size_t budget = smallest + rng.UniformBelow(layers * heads - smallest + 1);
    const auto members = SelectGlobally({table}, {.budget = budget, .at_least_per_layer = least});
    ASSERT_TRUE(members.ok()) << members.status();
    EXPECT_EQ((*members)[0], SlowGlobal(table, budget, least));
  }
}

TEST(SelectGloballyTest, UnitNorm_ComparesShapesOfLayersNotTheirSize) {
  const std::vector<HeadTable> table = {{{300, 400}, {0.8, 0.6}}};
  const auto raw = SelectGlobally(table, {.budget = 2});
  const auto scaled = SelectGlobally(table, {.budget = 2, .scale = LayerScale::kUnitNorm});
  ASSERT_TRUE(raw.ok() && scaled.ok());
  EXPECT_THAT((*raw)[0], ElementsAre(ElementsAre(0, 1), ElementsAre()));
  EXPECT_THAT((*scaled)[0], ElementsAre(ElementsAre(1), ElementsAre(0)));
}

TEST(SelectGloballyTest, OverlapPenalty_MovesTheSecondMember) {
  const HeadTable table = {{4, 3}, {2, 1}};
  const auto members = SelectGlobally({table, table}, {.budget = 2, .overlap_penalty = 4.0});
  ASSERT_TRUE(members.ok()) << members.status();
  EXPECT_THAT((*members)[1], ElementsAre(ElementsAre(), ElementsAre(0, 1)));
}

TEST(SelectGloballyTest, BudgetOutOfRange_IsRefused) {
  const std::vector<HeadTable> table = {{{4, 3}, {2, 1}}};
  EXPECT_THAT(SelectGlobally(table, {.budget = 5}).status().message(),
              ::testing::HasSubstr("want 1..4"));
  EXPECT_FALSE(SelectGlobally(table, {.budget = 0}).ok());
  EXPECT_FALSE(SelectGlobally(table, {.budget = 3, .at_least_per_layer = 2}).ok());
  EXPECT_FALSE(SelectGlobally(table, {.budget = 4, .at_least_per_layer = 3}).ok());
}

TEST(SteerToClustersTest, Bonus_LiftsTheHeadsOfTheMembersCluster) {
  // Ranks 0..7 by falling score; a quarter of 8 ranks is 2.
  const HeadTable scores = {{8, 7, 6, 5}, {4, 3, 2, 1}};
  const auto tables = SteerToClusters(scores, {{0, 0, 0, 0}, {1, 1, 0, 1}}, 3, 0.25);
  ASSERT_TRUE(tables.ok()) << tables.status();
  EXPECT_THAT((*tables)[0][0], ElementsAre(2, 1, 0, -1));
  EXPECT_THAT((*tables)[1][1], ElementsAre(-2, -3, -6, -5));
  EXPECT_EQ((*tables)[2], (*tables)[0]);  // two clusters, three members
  const auto kept = SelectGlobally(*tables, {.budget = 4});
  ASSERT_TRUE(kept.ok());
  EXPECT_THAT((*kept)[1], ElementsAre(ElementsAre(0, 1, 2), ElementsAre(0)));
  EXPECT_FALSE(SteerToClusters(scores, {{0, 0, 0, 0}}, 3, 0.25).ok());
  EXPECT_FALSE(SteerToClusters(scores, {{0, 0, 0, 0}, {1, 1, 0}}, 3, 0.25).ok());
  EXPECT_FALSE(SteerToClusters(scores, {{0, 0, 0, 0}, {1, 1, 0, 1}}, 0, 0.25).ok());
}

TEST(RandomHeadsTest, SameSeed_GivesSameDistinctHeads) {
  const auto members = RandomHeads(3, 6, 8, 4, 11);
  ASSERT_TRUE(members.ok());
  EXPECT_EQ(*members, *RandomHeads(3, 6, 8, 4, 11));
  EXPECT_NE(*members, *RandomHeads(3, 6, 8, 4, 12));
  EXPECT_NE((*members)[0], (*members)[1]);
  for (const auto& member : *members) {
    for (const auto& layer : member)
      EXPECT_EQ(std::set<size_t>(layer.begin(), layer.end()).size(), 4u);
  }
}

}  // namespace
}  // namespace hydra::importance
