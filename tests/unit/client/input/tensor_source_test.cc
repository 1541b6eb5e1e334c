#include "client/input/tensor_source.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/file.h"

namespace hydra::input {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Write(const std::string& name, const std::string& bytes) {
  // Tests run side by side: each has files of its own.
  const std::string test = ::testing::UnitTest::GetInstance()->current_test_info()->name();
  const std::string path = ::testing::TempDir() + "/tensor_source_" + test + "_" + name;
  EXPECT_TRUE(base::WriteFileAtomically(path, bytes).ok());
  return path;
}

std::string ThreeImages() {  // three images of 1 x 2 pixels
  return Write("images", std::string("\0\0\x08\x03\0\0\0\x03\0\0\0\x01\0\0\0\x02", 16) + "aabbcc");
}

std::string Labels(char count) {
  return Write("labels", std::string("\0\0\x08\x01\0\0\0", 7) + count +
                             std::string("\x05\x06\xff").substr(0, count));
}

TEST(TensorSourceTest, OpenIdx_ImagesAndLabels_GivesRawPixelsAndTruth) {
  const auto source = TensorSource::OpenIdx({ThreeImages(), Labels(3)});
  ASSERT_TRUE(source.ok()) << source.status();
  (*source)->Skip(1);
  const auto inputs = (*source)->Next(10);
  ASSERT_TRUE(inputs.ok() && inputs->size() == 2);
  const v1::Tensor& tensor = (*inputs)[0].instance.tensor();
  EXPECT_EQ(tensor.dtype(), v1::TENSOR_DATA_TYPE_UINT8);
  EXPECT_THAT(tensor.shape(), ElementsAre(1, 1, 2));
  EXPECT_EQ(tensor.data(), "bb");
  EXPECT_EQ((*inputs)[0].truth, 6u);
  EXPECT_EQ((*inputs)[1].truth, 255u);
  EXPECT_THAT((*inputs)[0].name, HasSubstr("images[1]"));
}

TEST(TensorSourceTest, OpenIdx_WrongNumberOfLabels_IsRefused) {
  EXPECT_THAT(TensorSource::OpenIdx({ThreeImages(), Labels(2)}).status().message(),
              HasSubstr("got 2 labels, want 3"));
}

TEST(TensorSourceTest, OpenIdx_LabelsInsteadOfImages_AreRefused) {
  EXPECT_EQ(TensorSource::OpenIdx({Labels(3), {}}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(TensorSourceTest, OpenRaw_TwoInputs_AreSplitByShape) {
  const std::string path = Write("raw", std::string(16, '\1') + std::string(16, '\2'));
  const auto source = TensorSource::OpenRaw({path, v1::TENSOR_DATA_TYPE_FP32, {1, 2, 2}});
  ASSERT_TRUE(source.ok()) << source.status();
  const auto inputs = (*source)->Next(10);
  ASSERT_TRUE(inputs.ok() && inputs->size() == 2);
  EXPECT_EQ((*inputs)[1].instance.tensor().data(), std::string(16, '\2'));
  EXPECT_EQ((*inputs)[1].truth, std::nullopt);
}

TEST(TensorSourceTest, OpenRaw_SizeOrShapeThatDoesNotFit_IsRefusedByName) {
  const std::string path = Write("raw", std::string(15, 'x'));
  EXPECT_THAT(
      TensorSource::OpenRaw({path, v1::TENSOR_DATA_TYPE_FP32, {1, 2, 2}}).status().message(),
      HasSubstr("got 15 bytes, want a multiple of 16"));
  EXPECT_THAT(TensorSource::OpenRaw({path, v1::TENSOR_DATA_TYPE_UINT8, {0}}).status().message(),
              HasSubstr("shape: got 0"));
  EXPECT_THAT(TensorSource::OpenRaw({path, v1::TENSOR_DATA_TYPE_UINT8, {}}).status().message(),
              HasSubstr("shape: got nothing"));
  EXPECT_FALSE(TensorSource::OpenRaw(
                   {path, v1::TENSOR_DATA_TYPE_FP32, {1 << 20, 1 << 20, 1 << 20, 1 << 20, 1 << 20}})
                   .ok());
}

TEST(TensorSourceTest, Skip_PastTheEnd_LeavesNothing) {
  const auto source = TensorSource::OpenIdx({ThreeImages(), {}});
  ASSERT_TRUE(source.ok());
  (*source)->Skip(100);
  EXPECT_TRUE((*source)->Next(1)->empty());
}

}  // namespace
}  // namespace hydra::input
