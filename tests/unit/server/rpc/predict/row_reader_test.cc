#include "server/rpc/predict/row_reader.h"

#include <cmath>
#include <limits>
#include <string>

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
  const RowReader reader_{bundle_,
                          {.image = {.max_bytes = 1000, .max_pixels = 100, .max_side = 16}}};
};

TEST_F(RowReaderTest, PixelsAndImage_AreNormalisedAlike) {
  const auto pixels = reader_.Pixels(std::string("\x00\x55\xaa\xff", 4));
  ASSERT_TRUE(pixels.ok()) << pixels.status();
  EXPECT_THAT(pixels->row.values,
              ElementsAre(FloatNear(-1.0f, 1e-6f), FloatNear(-1.0f / 3.0f, 1e-6f),
                          FloatNear(1.0f / 3.0f, 1e-6f), FloatNear(1.0f, 1e-6f)));
  const auto image = reader_.Image(fakes::TinyPng());
  ASSERT_TRUE(image.ok()) << image.status();
  EXPECT_EQ(image->row, pixels->row);
}

TEST_F(RowReaderTest, Values_AreTakenAsTheyAre) {
  const auto values = reader_.Values(fakes::FloatBytes({1.0f, -2.5f, 0.0f, 3e38f}));
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_THAT(values->row.values, ElementsAre(1.0f, -2.5f, 0.0f, 3e38f));
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
  const RowReader strict(
      bundle_, {.image = {.max_bytes = png.size() - 1, .max_pixels = 100, .max_side = 16}});
  EXPECT_EQ(base::ReasonOf(strict.Image(png).status()), "BAD_IMAGE");
  const RowReader small(bundle_, {.image = {.max_bytes = 1000, .max_pixels = 3, .max_side = 16}});
  EXPECT_EQ(base::ReasonOf(small.Image(png).status()), "BAD_IMAGE");
}

class TextReaderTest : public ::testing::Test {
 protected:
  std::string Refusal(absl::string_view text) {
    return base::ReasonOf(reader_.Text(text).status());
  }

  const policy::ServedBundle bundle_ = fakes::FakeTextBundle();
  const RowReader reader_{bundle_, {.max_text_bytes = 50}};
};

TEST_F(TextReaderTest, Texts_BecomeIdsThatFit) {
  const auto text = reader_.Text("Play music");
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(text->row, (runtime::Rows{.token_ids = {2, 4, 5, 3}, .lengths = {4}}));
  EXPECT_EQ(text->truncated_tokens, 0u);
  const auto empty = reader_.Text("");
  ASSERT_TRUE(empty.ok()) << empty.status();
  EXPECT_EQ(empty->row, (runtime::Rows{.token_ids = {2, 3}, .lengths = {2}}));
  const auto cut = reader_.Text("stop now stop now stop now stop now");
  ASSERT_TRUE(cut.ok()) << cut.status();
  EXPECT_THAT(cut->row.token_ids, ElementsAre(2, 6, 7, 6, 7, 6, 7, 3));
  EXPECT_EQ(cut->truncated_tokens, 2u);
}

TEST_F(TextReaderTest, LongOrMalformedTexts_AreRefused) {
  EXPECT_TRUE(reader_.Text(std::string(50, 'a')).ok());
  EXPECT_EQ(Refusal(std::string(51, 'a')), "TEXT_TOO_LONG");
  EXPECT_EQ(Refusal("play \xff"), "BAD_TEXT");
  EXPECT_EQ(Refusal("play \xed\xa0\x80"), "BAD_TEXT");
}

TEST_F(TextReaderTest, OtherKindOfInput_IsRefusedAsSuch) {
  const policy::ServedBundle images = fakes::FakeServedBundle();
  EXPECT_EQ(base::ReasonOf(RowReader(images, {.max_text_bytes = 50}).Text("play").status()),
            "WRONG_INPUT_KIND");
  EXPECT_EQ(base::ReasonOf(reader_.Image(fakes::TinyPng()).status()), "WRONG_INPUT_KIND");
  EXPECT_EQ(base::ReasonOf(reader_.Pixels("").status()), "WRONG_INPUT_KIND");
  EXPECT_EQ(base::ReasonOf(reader_.Values("").status()), "WRONG_INPUT_KIND");
  EXPECT_EQ(base::ReasonOf(reader_.CheckShape({0, 0, 0})), "WRONG_INPUT_KIND");
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
