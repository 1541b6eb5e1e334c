#include "model/train/proxies.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <variant>

#include "gtest/gtest.h"

namespace hydra::train {
namespace {

TEST(MakeProxiesTest, Images_AreShuffledAndMixedByTurns) {
  const at::Tensor images = at::arange(4 * 36, at::kFloat).view({4, 1, 6, 6});
  base::Rng rng(1);
  const auto proxies = std::get<at::Tensor>(MakeProxies(images, 2, rng));
  ASSERT_EQ(proxies.sizes(), images.sizes());
  for (int64_t i = 0; i < 4; i += 2) {  // the same pixels, elsewhere
    EXPECT_TRUE(at::equal(std::get<0>(proxies[i].flatten().sort()), images[i].flatten()));
    EXPECT_FALSE(at::equal(proxies[i], images[i]));
  }
  EXPECT_TRUE(at::allclose(proxies[1], 0.5 * (images[1] + images[2])));
  EXPECT_TRUE(at::allclose(proxies[3], 0.5 * (images[3] + images[0])));
}

TEST(MakeProxiesTest, Texts_KeepTheirSpecialTokensAndLength) {
  const nn::TokenBatch texts{.ids = at::tensor({1, 10, 11, 12, 13, 2, 1, 20, 2}, at::kLong),
                             .lengths = {6, 3}};
  base::Rng rng(3);
  const auto proxies = std::get<nn::TokenBatch>(MakeProxies(texts, 0, rng));
  ASSERT_EQ(proxies.lengths.size(), 2u);
  EXPECT_EQ(proxies.lengths[0], 6);
  const std::vector<int64_t> ids(proxies.ids.data_ptr<int64_t>(),
                                 proxies.ids.data_ptr<int64_t>() + proxies.ids.numel());
  EXPECT_EQ(ids.front(), 1);
  EXPECT_EQ(ids[5], 2);
  std::vector<int64_t> inner(ids.begin() + 1, ids.begin() + 5);
  std::sort(inner.begin(), inner.end());
  EXPECT_EQ(inner, (std::vector<int64_t>{10, 11, 12, 13}));
  // The second: the first half of its text, then the second half of the first text.
  EXPECT_EQ(std::vector<int64_t>(ids.begin() + 6, ids.end()),
            (std::vector<int64_t>{1, 20, 12, 13, 2}));
}

TEST(MakeProxiesTest, TextLongerThanAnyOfItsBatch_IsCutBeforeItsLastToken) {
  const nn::TokenBatch texts{.ids = at::tensor({1, 3, 2, 1, 4, 5, 2}, at::kLong),
                             .lengths = {3, 4}};
  base::Rng rng(3);
  const auto proxies = std::get<nn::TokenBatch>(MakeProxies(texts, 0, rng));
  EXPECT_LE(*std::max_element(proxies.lengths.begin(), proxies.lengths.end()), 4);
  EXPECT_EQ(proxies.ids[proxies.ids.numel() - 1].item<int64_t>(), 2);
}

}  // namespace
}  // namespace hydra::train
