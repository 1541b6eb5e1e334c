#include "client/input/image_source.h"

#include <filesystem>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/file.h"
#include "tests/fakes/scratch_directory.h"

namespace hydra::input {
namespace {

using ::testing::HasSubstr;

class ImageSourceTest : public ::testing::Test {
 protected:
  ImageSourceTest() { std::filesystem::create_directories(folder_ / "sub"); }

  std::string Write(const std::string& name) {
    const std::string path = (folder_ / name).string();
    EXPECT_TRUE(base::WriteFileAtomically(path, "bytes of " + name).ok());
    return path;
  }

  const fakes::ScratchDirectory scratch_;
  const std::filesystem::path folder_ = scratch_.Path("images");
};

TEST_F(ImageSourceTest, Next_Folder_GivesItsImagesSortedInParts) {
  Write("b.PNG");
  Write("sub/c.jpeg");
  Write("a.jpg");
  Write("notes.txt");
  const auto source = ImageSource::Create({folder_.string()});
  ASSERT_TRUE(source.ok()) << source.status();
  const auto first = (*source)->Next(2);
  ASSERT_TRUE(first.ok() && first->size() == 2);
  EXPECT_THAT((*first)[0].name, HasSubstr("a.jpg"));
  EXPECT_EQ((*first)[0].instance.image(), "bytes of a.jpg");
  EXPECT_THAT((*first)[1].name, HasSubstr("b.PNG"));
  const auto second = (*source)->Next(2);
  ASSERT_TRUE(second.ok() && second->size() == 1);
  EXPECT_TRUE((*source)->Next(2)->empty());
}

TEST_F(ImageSourceTest, Create_NamedFile_IsTakenWhateverItsName) {
  const auto source = ImageSource::Create({Write("notes.txt")});
  ASSERT_TRUE(source.ok());
  EXPECT_EQ((*source)->Next(5)->size(), 1u);
}

TEST_F(ImageSourceTest, Create_MissingOrEmpty_IsRefusedByName) {
  EXPECT_EQ(ImageSource::Create({"/no/such/image.png"}).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_THAT(ImageSource::Create({folder_.string()}).status().message(), HasSubstr("no .jpg"));
}

}  // namespace
}  // namespace hydra::input
