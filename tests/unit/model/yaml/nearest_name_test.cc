#include "model/yaml/nearest_name.h"

#include "gtest/gtest.h"

namespace hydra::yaml {
namespace {

TEST(NearestNameTest, Misspelling_FindsTheName) {
  EXPECT_EQ(NearestName("max_batch_row", {"ladder", "max_batch_rows"}), "max_batch_rows");
  EXPECT_EQ(NearestName("ladedr", {"ladder", "max_batch_rows"}), "ladder");
}

TEST(NearestNameTest, NothingClose_IsEmpty) {
  EXPECT_EQ(NearestName("port", {"ladder", "max_batch_rows"}), "");
  EXPECT_EQ(NearestName("port", {}), "");
}

}  // namespace
}  // namespace hydra::yaml
