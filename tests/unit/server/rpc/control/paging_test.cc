#include "server/rpc/control/paging.h"

#include "gtest/gtest.h"

namespace hydra::rpc {
namespace {

TEST(FindPageTest, Pages_CoverTheListOnce) {
  std::string token;
  size_t seen = 0;
  do {
    const auto page = FindPage(7, token, 20);
    ASSERT_TRUE(page.ok()) << page.status();
    EXPECT_EQ(page->begin, seen);
    EXPECT_LE(page->end - page->begin, 7u);
    seen = page->end;
    token = page->next_token;
  } while (!token.empty());
  EXPECT_EQ(seen, 20u);
}

TEST(FindPageTest, EmptyListAndDefaults_AreFine) {
  EXPECT_EQ(FindPage(0, "", 0)->end, 0u);
  EXPECT_EQ(FindPage(0, "", 51)->end, 50u);
}

TEST(FindPageTest, BadSizesAndTokens_AreRefused) {
  EXPECT_FALSE(FindPage(1001, "", 5).ok());
  for (const char* token : {"x", "-1", "6", "99999999999999999999", "1 2"}) {
    EXPECT_FALSE(FindPage(1, token, 5).ok()) << token;
  }
}

}  // namespace
}  // namespace hydra::rpc
