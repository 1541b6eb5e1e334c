#include "model/importance/selection.h"

#include <cmath>
#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

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
