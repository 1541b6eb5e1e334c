#include "server/rpc/control/model_conversion.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/fakes/fake_bundle.h"

namespace hydra::rpc {
namespace {

using ::testing::ElementsAre;

TEST(ModelConversionTest, Model_SaysWhatItIsAndTakes) {
  const v1::Model model =
      ToProto(fakes::FakeServedBundle(),
              {.request = {.max_instances = 8,
                           .image = {.max_bytes = 10, .max_pixels = 20, .max_side = 30}},
               .max_message_bytes = 1000});
  EXPECT_EQ(model.reference().name(), "fake");
  EXPECT_EQ(model.reference().bundle_digest(), std::string(64, 'd'));
  EXPECT_EQ(model.state(), v1::MODEL_STATE_ACTIVE);
  EXPECT_EQ(model.members(), 3u);
  EXPECT_EQ(model.geometry().classes(), 3u);
  EXPECT_THAT(model.labels(), ElementsAre("cat", "dog", "owl"));
  ASSERT_EQ(model.inputs_size(), 3);
  EXPECT_THAT(model.inputs(1).shape(), ElementsAre(1, 2, 2));
  EXPECT_EQ(model.limits().max_instances(), 8u);
  EXPECT_EQ(model.limits().max_image_pixels(), 20u);
  EXPECT_EQ(model.calibration().certificates(0).cuts(), 4u);
  EXPECT_EQ(model.calibration().splits().at("certify").n(), 1000u);
  EXPECT_EQ(model.calibration().conformal(0).alpha(), 0.1);
  EXPECT_EQ(model.provenance().seed(), 7u);
  EXPECT_EQ(model.input_kind(), v1::INPUT_KIND_IMAGE);
  EXPECT_EQ(model.limits().max_tokens(), 0u);
}

TEST(ModelConversionTest, TextModel_SaysHowMuchTextItTakes) {
  const v1::Model model = ToProto(fakes::FakeTextBundle(), {.request = {.max_text_bytes = 99}});
  EXPECT_EQ(model.input_kind(), v1::INPUT_KIND_TEXT);
  ASSERT_EQ(model.inputs_size(), 1);
  EXPECT_EQ(model.inputs(0).name(), "text");
  EXPECT_EQ(model.inputs(0).dtype(), "BYTES");
  EXPECT_TRUE(model.inputs(0).shape().empty());
  EXPECT_EQ(model.limits().max_text_bytes(), 99u);
  EXPECT_EQ(model.limits().max_tokens(), 8u);
  EXPECT_EQ(model.geometry().vocabulary(), 9u);
  EXPECT_EQ(model.geometry().max_positions(), 16u);
}

}  // namespace
}  // namespace hydra::rpc
