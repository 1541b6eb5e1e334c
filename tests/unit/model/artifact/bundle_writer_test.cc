#include "model/artifact/bundle_writer.h"

#include <cmath>
#include <filesystem>
#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/fakes/scratch_directory.h"
#include "tests/golden/tiny_bundle.h"

namespace hydra::artifact {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class BundleWriterTest : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  size_t Entries() const {
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  const fakes::ScratchDirectory scratch_;
  const fs::path folder_ = scratch_.path();
};

TEST_F(BundleWriterTest, Write_ExistingTarget_IsLeftAlone) {
  std::ofstream(Path("bundle")) << "mine";
  fs::create_directory(Path("empty"));
  for (const char* name : {"bundle", "empty"}) {
    EXPECT_EQ(WriteBundle(golden::TinyBundle(), Path(name)).status().code(),
              absl::StatusCode::kAlreadyExists);
    EXPECT_EQ(WriteBundleTar(golden::TinyBundle(), Path(name)).status().code(),
              absl::StatusCode::kAlreadyExists);
  }
  EXPECT_EQ(fs::file_size(Path("bundle")), 4u);
  EXPECT_EQ(Entries(), 2u);  // no temporary directory is left
}

TEST_F(BundleWriterTest, Write_ContentsTheReaderRefuses_WritesNothing) {
  BundleContents contents = golden::TinyBundle();
  contents.documents.labels.pop_back();
  EXPECT_THAT(WriteBundle(contents, Path("bundle")).status().message(),
              HasSubstr("labels.json: labels: got 2 items, want 3"));
  contents = golden::TinyBundle();
  contents.documents.calibration.temperature = NAN;
  EXPECT_THAT(WriteBundle(contents, Path("bundle")).status().message(),
              HasSubstr("calibration.json: temperature: got null"));
  contents = golden::TinyBundle();
  contents.documents.labels[0] = "\xff";
  EXPECT_THAT(WriteBundle(contents, Path("bundle")).status().message(), HasSubstr("not UTF-8"));
  EXPECT_EQ(Entries(), 0u);
}

TEST_F(BundleWriterTest, Write_MissingParents_AreMadeAndATrailingSlashIsAllowed) {
  ASSERT_TRUE(WriteBundle(golden::TinyBundle(), Path("a/b/bundle/")).ok());
  EXPECT_TRUE(Bundle::Open(Path("a/b/bundle")).ok());
  EXPECT_EQ(fs::status(Path("a/b/bundle")).permissions(), fs::perms(0755));
}

TEST_F(BundleWriterTest, Encode_SameContents_SameBytes) {
  EXPECT_EQ(EncodeBundle(golden::TinyBundle()).value(), EncodeBundle(golden::TinyBundle()).value());
}

TEST_F(BundleWriterTest, Encode_ReaderModeAndTextFamily_RoundTrip) {
  BundleContents contents = golden::TinyBundle();
  Manifest& manifest = contents.documents.manifest;
  manifest.family = "bert";
  manifest.member_mode = MemberMode::kReader;
  manifest.reader = ReaderPlan{.first_layer = 1,
                               .mlp = "low_rank",
                               .mlp_rank = 2,
                               .own_keys_values = true,
                               .trunk_heads = {{0, 1}, {}}};
  manifest.geometry.vocabulary = 30;
  manifest.geometry.max_positions = 16;
  manifest.geometry.token_types = 2;
  contents.documents.image_settings.reset();
  contents.documents.text_settings = TextSettings{.max_tokens = 16, .pad_token = 0};
  contents.documents.tokenizer_json = "{\"version\": \"1.0\"}";
  GoldenAnswers& answers = contents.documents.golden;
  answers.row_values = 0;
  answers.inputs.clear();
  answers.tokens = 3;
  answers.token_ids = {1, 2, 29, 4, 5, 0};
  answers.attention_mask = {1, 1, 1, 1, 1, 0};
  const auto files = EncodeBundle(contents);
  ASSERT_TRUE(files.ok()) << files.status();
  const auto bundle = Bundle::Parse(*files);
  ASSERT_TRUE(bundle.ok()) << bundle.status();
  EXPECT_EQ(bundle->manifest().reader->trunk_heads, manifest.reader->trunk_heads);
  EXPECT_EQ(bundle->manifest().reader->mlp_rank, 2u);
  EXPECT_EQ(bundle->golden().token_ids, answers.token_ids);
  EXPECT_EQ(bundle->text_settings()->max_tokens, 16u);
  EXPECT_EQ(bundle->tokenizer_json(), contents.documents.tokenizer_json);
  EXPECT_FALSE(bundle->image_settings().has_value());
}

}  // namespace
}  // namespace hydra::artifact
