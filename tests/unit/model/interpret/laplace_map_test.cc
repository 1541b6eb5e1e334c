#include "model/interpret/laplace_map.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/status_detail.h"
#include "tests/golden/interpret/interpret_golden.h"

namespace hydra::interpret {
namespace {

using ::testing::HasSubstr;

TEST(MapTokensTest, GoldenCases_EqualNumpy) {
  for (const golden::MapCase& golden : golden::LoadMapCases()) {
    SCOPED_TRACE(golden.name);
    const auto map = MapTokens(golden.attention, golden.tokens);
    ASSERT_TRUE(map.ok()) << map.status();
    ASSERT_EQ(map->eigenvalues.size(), golden.eigenvalues.size());
    for (size_t i = 0; i < golden.eigenvalues.size(); ++i) {
      EXPECT_NEAR(map->eigenvalues[i], golden.eigenvalues[i], 1e-12);
    }
    ASSERT_EQ(map->coordinates.size(), golden.coordinates.size());
    for (size_t i = 0; i < golden.coordinates.size(); ++i) {
      EXPECT_NEAR(map->coordinates[i], golden.coordinates[i], 1e-9) << "value " << i;
    }
    for (size_t c = 0; c < kMapChannels; ++c) {
      EXPECT_EQ(map->degenerate[c], golden.degenerate[c]) << "channel " << c;
    }
  }
}

TEST(MapTokensTest, TransposedAttention_GivesTheSameMap) {
  const golden::MapCase golden = golden::LoadMapCases().front();
  std::vector<float> transposed(golden.attention.size());
  for (size_t i = 0; i < golden.tokens; ++i) {
    for (size_t j = 0; j < golden.tokens; ++j) {
      transposed[j * golden.tokens + i] = golden.attention[i * golden.tokens + j];
    }
  }
  const auto map = MapTokens(golden.attention, golden.tokens);
  const auto other = MapTokens(transposed, golden.tokens);
  ASSERT_TRUE(map.ok() && other.ok());
  EXPECT_EQ(map->coordinates, other->coordinates);
}

TEST(MapTokensTest, TooFewTokens_IsNamed) {
  const auto map = MapTokens(std::vector<float>(9, 1.0f / 3.0f), 3);
  EXPECT_EQ(base::ReasonOf(map.status()), "TOO_FEW_TOKENS");
  EXPECT_THAT(map.status().message(), HasSubstr("got 3 tokens, want at least 4"));
}

TEST(MapTokensTest, WrongSize_IsRefused) {
  EXPECT_TRUE(absl::IsInvalidArgument(MapTokens(std::vector<float>(17, 0.1f), 4).status()));
}

TEST(MapTokensTest, ValueThatIsNone_IsNamed) {
  std::vector<float> attention(16, 0.25f);
  attention[6] = std::nanf("");
  EXPECT_EQ(base::ReasonOf(MapTokens(attention, 4).status()), "BAD_WEIGHT");
  attention[6] = -0.25f;
  attention[9] = 0.0f;
  EXPECT_EQ(base::ReasonOf(MapTokens(attention, 4).status()), "BAD_WEIGHT");
}

TEST(MapTokensTest, TokenNobodyAttendsTo_IsNamed) {
  std::vector<float> attention(16, 0.25f);
  for (size_t i = 0; i < 4; ++i) attention[2 * 4 + i] = attention[i * 4 + 2] = 0.0f;
  const auto map = MapTokens(attention, 4);
  EXPECT_EQ(base::ReasonOf(map.status()), "ISOLATED_NODE");
  EXPECT_THAT(map.status().message(), HasSubstr("node 2"));
}

}  // namespace
}  // namespace hydra::interpret
