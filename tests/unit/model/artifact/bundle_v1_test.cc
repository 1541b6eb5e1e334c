#include <cmath>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/artifact/bundle.h"
#include "model/artifact/bundle_writer.h"
#include "tests/golden/reference_vit.h"
#include "tests/golden/tiny_bundle.h"

namespace hydra::artifact {
namespace {

absl::StatusOr<Bundle> OpenCommitted() {
  return Bundle::Open(absl::StrCat(HYDRA_SOURCE_DIR, "/tests/golden/bundle_v1"));
}

TEST(BundleV1Test, CommittedBundle_StillLoads) {
  const auto bundle = OpenCommitted();
  ASSERT_TRUE(bundle.ok()) << bundle.status();
  EXPECT_EQ(bundle->digest(), "c83398f20537bb25a2e25dedd26255101f662e96abb3c33e3fd131c9e47f9a45");
  EXPECT_EQ(bundle->manifest().format_version, 1);
  EXPECT_EQ(bundle->manifest().members, 3u);
  EXPECT_TRUE(bundle->head_map().has_value());
  EXPECT_TRUE(bundle->novelty().has_value());
}

TEST(BundleV1Test, CommittedGoldenAnswers_AreThoseOfTheReference) {
  const auto bundle = OpenCommitted();
  ASSERT_TRUE(bundle.ok()) << bundle.status();
  const GoldenAnswers& golden = bundle->golden();
  const auto logits =
      golden::ReferenceLogits(bundle->manifest(), bundle->weights(), golden.inputs, golden.batch);
  ASSERT_EQ(logits.size(), golden.logits.size());
  for (size_t i = 0; i < logits.size(); ++i) EXPECT_NEAR(logits[i], golden.logits[i], 1e-5);
}

TEST(BundleV1Test, WriterOfToday_WritesTheCommittedManifest) {
  const auto committed = OpenCommitted();
  const auto files = EncodeBundle(golden::TinyBundle());
  ASSERT_TRUE(committed.ok() && files.ok());
  const auto today = Bundle::Parse(*files);
  ASSERT_TRUE(today.ok()) << today.status();
  EXPECT_EQ(today->weights_digest(), committed->weights_digest());
  EXPECT_EQ(today->manifest().layers[1].heads, committed->manifest().layers[1].heads);
}

}  // namespace
}  // namespace hydra::artifact
