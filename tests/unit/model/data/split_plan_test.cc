#include "model/data/split_plan.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/sha256.h"

namespace hydra::data {
namespace {

using ::testing::HasSubstr;

constexpr SplitSizes kSizes{.select = 20, .fit = 10, .path = 15, .certify = 30, .conformal = 5};

std::vector<std::string> Digests(size_t count) {
  std::vector<std::string> digests;
  for (size_t i = 0; i < count; ++i) digests.push_back(base::Sha256Hex(absl::StrCat(i)));
  return digests;
}

TEST(SplitPoolTest, Pool_IsPartitionedIntoTheWantedSizes) {
  const auto splits = SplitPool(Digests(200), kSizes, 1);
  ASSERT_TRUE(splits.ok()) << splits.status();
  std::set<size_t> seen;
  for (const auto& [name, rows] : *splits) {
    EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end())) << name;
    for (const size_t row : rows) EXPECT_TRUE(seen.insert(row).second) << name;
  }
  EXPECT_EQ(seen.size(), 200u);
  EXPECT_EQ(splits->at("certify").size(), 30u);
  EXPECT_EQ(splits->at("train").size(), 120u);
}

TEST(SplitPoolTest, EqualItems_NeverFallIntoTwoSplits) {
  std::vector<std::string> digests = Digests(100);
  for (size_t copy = 0; copy < 3; ++copy) {
    for (size_t i = 0; i < 30; ++i) digests.push_back(digests[i]);
  }
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const auto splits = SplitPool(digests, kSizes, seed);
    ASSERT_TRUE(splits.ok()) << splits.status();
    std::map<std::string, std::string> split_of;
    for (const auto& [name, rows] : *splits) {
      for (const size_t row : rows) {
        EXPECT_EQ(split_of.emplace(digests[row], name).first->second, name);
      }
    }
  }
}

TEST(SplitPoolTest, SameSeed_SameSplitsWhateverTheOrderOfTheItems) {
  std::vector<std::string> digests = Digests(100);
  const auto first = SplitPool(digests, kSizes, 3).value();
  const auto other_seed = SplitPool(digests, kSizes, 4).value();
  std::vector<std::string> reversed(digests.rbegin(), digests.rend());
  const auto turned = SplitPool(reversed, kSizes, 3).value();
  EXPECT_NE(first, other_seed);
  for (const auto& [name, rows] : first) {
    EXPECT_EQ(DescribeSplit(digests, rows).digest, DescribeSplit(reversed, turned.at(name)).digest)
        << name;
  }
}

TEST(SplitPoolTest, PoolTooSmall_SaysHowManyItemsItTakes) {
  EXPECT_THAT(SplitPool(Digests(80), kSizes, 1).status().message(),
              HasSubstr("got 80 items, want more than the 80"));
  EXPECT_TRUE(SplitPool(Digests(81), kSizes, 1).ok());
}

TEST(DescribeSplitTest, Digest_IsThatOfTheSortedItems) {
  const std::vector<std::string> digests = {"b", "a", "c"};
  const artifact::Split split = DescribeSplit(digests, {0, 1});
  EXPECT_EQ(split.n, 2u);
  EXPECT_EQ(split.digest, base::Sha256Hex("ab"));
}

}  // namespace
}  // namespace hydra::data
