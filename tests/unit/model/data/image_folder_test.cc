#include "model/data/image_folder.h"

#include <filesystem>
#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/data/raster_set.h"
#include "tests/fakes/scratch_directory.h"
#include "tests/golden/image_vectors.h"

namespace hydra::data {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ImageFolderTest : public ::testing::Test {
 protected:
  void Write(const std::string& name, const std::string& bytes) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }

  std::string ReadError() const {
    return std::string(ReadImageFolder(folder_.string()).status().message());
  }

  const fakes::ScratchDirectory scratch_;
  const fs::path folder_ = scratch_.path();
};

TEST_F(ImageFolderTest, Read_SubFolders_AreClassesInOrder) {
  for (const char* name : {"shoe/2.png", "shoe/1.JPG", "bag/z.jpeg", "bag/.hidden", ".cache/x"}) {
    Write(name, "");
  }
  const auto list = ReadImageFolder(folder_.string());
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_THAT(list->class_names, ElementsAre("bag", "shoe"));
  ASSERT_EQ(list->examples.size(), 3u);
  EXPECT_EQ(list->examples[0].image, (folder_ / "bag/z.jpeg").string());
  EXPECT_EQ(list->examples[1].image, (folder_ / "shoe/1.JPG").string());
  EXPECT_EQ(list->examples[2].label, 1u);
}

TEST_F(ImageFolderTest, Read_ImagesAlone_HaveNoLabels) {
  Write("1.png", "");
  const auto list = ReadImageFolder(folder_.string());
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_TRUE(list->class_names.empty());
  EXPECT_FALSE(list->examples[0].label.has_value());
}

TEST_F(ImageFolderTest, Read_FoldersThatFitNeitherForm_AreRefused) {
  EXPECT_THAT(ReadError(), HasSubstr("got 0 folders and 0 images"));
  Write("a/1.png", "");
  Write("2.png", "");
  EXPECT_THAT(ReadError(), HasSubstr("got 1 folders and 1 images"));
  fs::remove(folder_ / "2.png");
  Write("a/notes.txt", "");
  EXPECT_THAT(ReadError(), HasSubstr("a/notes.txt: got another file"));
  fs::remove(folder_ / "a/notes.txt");
  fs::create_directory(folder_ / "b");
  EXPECT_THAT(ReadError(), HasSubstr("b: got a class without images"));
  Write("b/c/1.png", "");
  EXPECT_THAT(ReadError(), HasSubstr("b/c: got a folder inside a class"));
}

TEST_F(ImageFolderTest, Read_MissingFolder_IsNotFound) {
  EXPECT_EQ(ReadImageFolder((folder_ / "x").string()).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(ImageFolderTest, LoadRasters_Images_BecomePlanesWithDigests) {
  Write("a/1.png", golden::EncodedImage("png_rgb"));
  Write("a/2.png", golden::EncodedImage("png_rgb"));
  Write("b/1.png", golden::EncodedImage("png_grey"));
  const ExampleList list = ReadImageFolder(folder_.string()).value();
  const auto settings = SettingsOfFirst(list, 3, {});
  ASSERT_TRUE(settings.ok()) << settings.status();
  const auto set = LoadRasters(list, *settings, {});
  ASSERT_TRUE(set.ok()) << set.status();
  EXPECT_EQ(set->count, 3u);
  EXPECT_EQ(set->height, 4u);
  EXPECT_EQ(set->width, 5u);
  EXPECT_EQ(set->pixels.size(), 3u * 60u);
  EXPECT_THAT(set->labels, ElementsAre(0, 0, 1));
  EXPECT_EQ(set->digests[0], set->digests[1]);
  EXPECT_NE(set->digests[0], set->digests[2]);
  const golden::DecodeCase rgb = golden::LoadDecodeCases().front();
  EXPECT_EQ(set->pixels[1], rgb.rgb[3]);   // red of the second pixel
  EXPECT_EQ(set->pixels[20], rgb.rgb[1]);  // green of the first
}

TEST_F(ImageFolderTest, LoadRasters_BrokenImage_NamesTheFile) {
  Write("a/1.png", "not an image");
  const ExampleList list = ReadImageFolder(folder_.string()).value();
  EXPECT_THAT(SettingsOfFirst(list, 1, {}).status().message(),
              HasSubstr("a/1.png: got 12 bytes that are neither PNG nor JPEG"));
  const artifact::ImageSettings settings{.height = 4, .width = 4, .channels = 1};
  EXPECT_THAT(LoadRasters(list, settings, {}).status().message(), HasSubstr("a/1.png: got 12"));
}

}  // namespace
}  // namespace hydra::data
