#include "server/rpc/predict/row_reader.h"

#include <cmath>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/status_detail.h"
#include "tests/fakes/fake_bundle.h"
#include "tests/fakes/request_bytes.h"

namespace hydra::rpc {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;

class RowReaderTest : public ::testing::Test {
 protected:
  const policy::ServedBundle bundle_ = fakes::FakeServedBundle();
  const RowReader reader_{bundle_, {.max_bytes = 1000, .max_pixels = 100, .max_side = 16}};
};

TEST_F(RowReaderTest, PixelsAndImage_AreNormalisedAlike) {
  const auto pixels = reader_.Pixels(std::string("\x00\x55\xaa\xff", 4));
  ASSERT_TRUE(pixels.ok()) << pixels.status();
  EXPECT_THAT(*pixels, ElementsAre(FloatNear(-1.0f, 1e-6f), FloatNear(-1.0f / 3.0f, 1e-6f),
                                   FloatNear(1.0f / 3.0f, 1e-6f), FloatNear(1.0f, 1e-6f)));
  const auto image = reader_.Image(fakes::TinyPng());
  ASSERT_TRUE(image.ok()) << image.status();
  EXPECT_EQ(*image, *pixels);
}

TEST_F(RowReaderTest, Values_AreTakenAsTheyAre) {
  const auto values = reader_.Values(fakes::FloatBytes({1.0f, -2.5f, 0.0f, 3e38f}));
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_THAT(*values, ElementsAre(1.0f, -2.5f, 0.0f, 3e38f));
}

TEST_F(RowReaderTest, ByteCounts_MustFit) {
  for (const size_t size : {0, 3, 5, 16}) {
    EXPECT_EQ(base::ReasonOf(reader_.Pixels(std::string(size, '\0')).status()), "WRONG_BYTE_COUNT");
  }
  for (const size_t size : {0, 4, 15, 17}) {
    EXPECT_EQ(base::ReasonOf(reader_.Values(std::string(size, '\0')).status()), "WRONG_BYTE_COUNT");
  }
}

TEST_F(RowReaderTest, NonFiniteValues_AreRefused) {
  for (const float bad : {std::nanf(""), std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity()}) {
    EXPECT_EQ(base::ReasonOf(reader_.Values(fakes::FloatBytes({0.0f, 0.0f, 0.0f, bad})).status()),
              "NON_FINITE_INPUT");
  }
}

TEST_F(RowReaderTest, BadImages_AreRefused) {
  EXPECT_EQ(base::ReasonOf(reader_.Image("").status()), "BAD_IMAGE");
  EXPECT_EQ(base::ReasonOf(reader_.Image("not an image").status()), "BAD_IMAGE");
  const std::string png = fakes::TinyPng();
  EXPECT_EQ(base::ReasonOf(reader_.Image(png.substr(0, png.size() / 2)).status()), "BAD_IMAGE");
  const RowReader strict(bundle_, {.max_bytes = png.size() - 1, .max_pixels = 100, .max_side = 16});
  EXPECT_EQ(base::ReasonOf(strict.Image(png).status()), "BAD_IMAGE");
  const RowReader small(bundle_, {.max_bytes = 1000, .max_pixels = 3, .max_side = 16});
  EXPECT_EQ(base::ReasonOf(small.Image(png).status()), "BAD_IMAGE");
}

TEST_F(RowReaderTest, Shape_MustBeTheBundles) {
  EXPECT_TRUE(reader_.CheckShape({1, 2, 2}).ok());
  for (const std::vector<int64_t>& shape :
       {std::vector<int64_t>{}, {2, 2}, {1, 2, 3}, {1, 1, 2, 2}, {-1, 2, 2}, {4}}) {
    EXPECT_EQ(base::ReasonOf(reader_.CheckShape(shape)), "WRONG_SHAPE") << ShapeText(shape);
  }
}

}  // namespace
}  // namespace hydra::rpc
