#include "model/builder/source/data_spec.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hydra::builder {
namespace {

using testing::HasSubstr;

TEST(ParseDataSpec, EveryForm_IsWhatFormatDataSpecWrites) {
  for (const char* text : {"idx:images,labels", "idx:images", "image_folder:dir", "csv:a.csv",
                           "jsonl:a.jsonl", "idx:images,labels;limit=7"}) {
    const auto spec = ParseDataSpec(text);
    ASSERT_TRUE(spec.ok()) << text << ": " << spec.status();
    EXPECT_EQ(FormatDataSpec(*spec), text);
  }
}

TEST(ParseDataSpec, MalformedTexts_AreRefusedWithTheForms) {
  for (const char* text : {"", "idx", "idx:", "zip:a", "idx:a,b,c", "idx:a;limit=", "idx:a;n=3",
                           "idx:a;limit=1;limit=2", "idx:a;limit=-1"}) {
    const auto spec = ParseDataSpec(text);
    EXPECT_EQ(spec.status().code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(spec.status().message()), HasSubstr("image_folder:DIR")) << text;
  }
}

TEST(ParseNamedDataSpec, NameAndSpec_AreSplitAtTheFirstEqualsSign) {
  const auto named = ParseNamedDataSpec("digits=idx:a=b");
  ASSERT_TRUE(named.ok()) << named.status();
  EXPECT_EQ(named->first, "digits");
  EXPECT_EQ(named->second.path, "a=b");
}

TEST(ParseNamedDataSpec, TextWithoutAName_IsRefused) {
  EXPECT_FALSE(ParseNamedDataSpec("idx:a").ok());
  EXPECT_FALSE(ParseNamedDataSpec("=idx:a").ok());
}

}  // namespace
}  // namespace hydra::builder
