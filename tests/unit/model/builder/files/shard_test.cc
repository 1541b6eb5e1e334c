#include "model/builder/files/shard.h"

#include <filesystem>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/file.h"
#include "tests/fakes/scratch_directory.h"

namespace hydra::builder {
namespace {

using testing::HasSubstr;

class ReadShardsTest : public testing::Test {
 protected:
  std::string WriteText(const std::string& name, const std::string& contents) {
    const std::string directory = scratch_.Path(name);
    std::filesystem::create_directories(directory);
    EXPECT_TRUE(base::WriteFileAtomically(directory + "/shard.json", contents).ok());
    return directory;
  }
  std::string Write(const std::string& name, Shard shard, const std::string& key = "k") {
    return WriteText(name, EncodeShard("evaluate", shard, key, {{"name", name}}));
  }
  static std::string Refusal(const std::vector<std::string>& directories) {
    return std::string(ReadShards(directories).status().message());
  }

  fakes::ScratchDirectory scratch_;
};

TEST(ParseShard, PartOfWhole_CountsFromOne) {
  const Shard second = ParseShard("2/3").value();
  EXPECT_FALSE(second.whole());
  EXPECT_FALSE(second.Owns(0));
  EXPECT_TRUE(second.Owns(1));
  EXPECT_TRUE(second.Owns(4));
  EXPECT_TRUE(ParseShard("")->whole());
  EXPECT_TRUE(ParseShard("1/1")->Owns(17));
}

TEST(ParseShard, AnythingElse_IsRefused) {
  for (const char* text : {"0/3", "4/3", "1", "1/0", "a/2", "1/2/3", "-1/2", "1/99999"})
    EXPECT_FALSE(ParseShard(text).ok()) << text;
}

TEST_F(ReadShardsTest, AnyOrder_ComesByIndex) {
  const std::string a = Write("a", {1, 3}), b = Write("b", {2, 3}), c = Write("c", {3, 3});
  const auto records = ReadShards({c, a, b});
  ASSERT_TRUE(records.ok()) << records.status();
  EXPECT_EQ((*records)[0].directory, a);
  EXPECT_EQ((*records)[2].document["name"], "c");
}

TEST_F(ReadShardsTest, MissingOrTwice_IsRefusedByName) {
  const std::string a = Write("a", {1, 3}), b = Write("b", {2, 3}), c = Write("c", {3, 3});
  EXPECT_THAT(Refusal({a, c}), HasSubstr("shard 2 of 3: missing"));
  EXPECT_THAT(Refusal({a, b}), HasSubstr("shard 3 of 3: missing"));
  EXPECT_THAT(Refusal({b, c}), HasSubstr("shard 1 of 3: missing"));
  const std::string twice = Refusal({a, b, c, b});
  EXPECT_THAT(twice, HasSubstr("shard 2 of 3: given twice"));
  EXPECT_THAT(twice, HasSubstr(b));
  EXPECT_FALSE(ReadShards({}).ok());
}

TEST_F(ReadShardsTest, OtherInputsOrMalformed_AreRefusedByName) {
  const std::string a = Write("a", {1, 2});
  EXPECT_THAT(Refusal({a, Write("b", {2, 2}, "other")}), HasSubstr(scratch_.Path("b")));
  EXPECT_THAT(Refusal({a, Write("c", {2, 3})}), HasSubstr(scratch_.Path("c")));
  for (const char* text : {"", "[]", "{}", "{\"step\":1,\"shard\":1,\"of\":1,\"key\":\"k\"}",
                           "{\"step\":\"score\",\"shard\":0,\"of\":1,\"key\":\"k\"}",
                           "{\"step\":\"score\",\"shard\":-1,\"of\":1,\"key\":\"k\"}"}) {
    EXPECT_THAT(Refusal({WriteText("d", text)}), HasSubstr("d/shard.json")) << text;
  }
  EXPECT_EQ(ReadShards({scratch_.Path("none")}).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace hydra::builder
