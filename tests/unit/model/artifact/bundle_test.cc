#include "model/artifact/bundle.h"

#include <filesystem>
#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/artifact/bundle_writer.h"
#include "model/artifact/container/checksums.h"
#include "model/base/sha256.h"
#include "tests/fakes/scratch_directory.h"
#include "tests/golden/tiny_bundle.h"

namespace hydra::artifact {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Files = std::map<std::string, std::string>;

Files TinyFiles() { return EncodeBundle(golden::TinyBundle()).value(); }

// As an attacker or a wrong tool would: the changed file with its true hash.
void Reseal(Files& files) { files[container::kChecksumsFile] = container::EncodeChecksums(files); }

class BundleTest : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return (folder_ / name).string(); }

  const fakes::ScratchDirectory scratch_;
  const fs::path folder_ = scratch_.path();
};

void ExpectTinyParts(const Bundle& bundle) {
  const BundleDocuments want = golden::TinyBundle().documents;
  EXPECT_EQ(bundle.manifest().layers[1].streams, want.manifest.layers[1].streams);
  EXPECT_EQ(bundle.manifest().layers[1].heads, want.manifest.layers[1].heads);
  EXPECT_EQ(bundle.manifest().geometry.layer_norm_epsilon, 1e-12);
  EXPECT_EQ(bundle.manifest().novelty->method, "mahalanobis");
  EXPECT_EQ(bundle.manifest().provenance.choices, want.manifest.provenance.choices);
  EXPECT_EQ(bundle.calibration().temperature, 1.25);
  EXPECT_EQ(bundle.calibration().certificates[1].rules[1].thresholds,
            want.calibration.certificates[1].rules[1].thresholds);
  EXPECT_EQ(bundle.calibration().certificates[0].cuts[2].errors, 9u);
  EXPECT_EQ(bundle.labels(), want.labels);
  EXPECT_EQ(bundle.image_settings()->resize_height, 5u);
  EXPECT_EQ(bundle.head_map()->kept, want.head_map->kept);
  EXPECT_EQ(bundle.head_map()->importance[1].member, 1u);
  EXPECT_EQ(bundle.golden().logits, want.golden.logits);
  EXPECT_EQ(bundle.golden().inputs, want.golden.inputs);
  EXPECT_EQ(bundle.policy_json(), want.policy_json);
  EXPECT_EQ(bundle.report_html(), want.report_html);
  EXPECT_EQ(bundle.weights().tensors().size(), 48u);
  EXPECT_EQ(bundle.novelty()->Find("precision")->shape, (std::vector<size_t>{4, 4}));
}

TEST_F(BundleTest, Open_DirectoryAndTarWrittenByTheWriter_AreEqual) {
  const auto digest = WriteBundle(golden::TinyBundle(), Path("bundle"));
  const auto tar_digest = WriteBundleTar(golden::TinyBundle(), Path("bundle.tar"));
  ASSERT_TRUE(digest.ok()) << digest.status();
  ASSERT_TRUE(tar_digest.ok()) << tar_digest.status();
  for (const char* name : {"bundle", "bundle.tar"}) {
    const auto bundle = Bundle::Open(Path(name));
    ASSERT_TRUE(bundle.ok()) << bundle.status();
    EXPECT_EQ(bundle->digest(), *digest);
    EXPECT_EQ(bundle->weights_digest(), base::Sha256Hex(golden::TinyBundle().weights));
    EXPECT_EQ(bundle->signature(), std::nullopt);
    ExpectTinyParts(*bundle);
  }
  EXPECT_EQ(*digest, *tar_digest);
}

TEST_F(BundleTest, Open_MissingPath_IsNotFound) {
  EXPECT_EQ(Bundle::Open(Path("nowhere")).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(BundleTest, Open_SymbolicLinkInside_IsRefusedByName) {
  ASSERT_TRUE(WriteBundle(golden::TinyBundle(), Path("bundle")).ok());
  fs::rename(Path("bundle/labels.json"), Path("labels.json"));
  fs::create_symlink(Path("labels.json"), Path("bundle/labels.json"));
  const absl::Status status = Bundle::Open(Path("bundle")).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), AllOf(HasSubstr("labels.json"), HasSubstr("symbolic link")));
}

TEST_F(BundleTest, Open_LinkToTheBundle_IsFollowed) {
  ASSERT_TRUE(WriteBundle(golden::TinyBundle(), Path("bundle")).ok());
  fs::create_directory_symlink(Path("bundle"), Path("current"));
  EXPECT_TRUE(Bundle::Open(Path("current")).ok());
}

TEST_F(BundleTest, Open_FileAboveTheLimit_IsResourceExhausted) {
  ASSERT_TRUE(WriteBundle(golden::TinyBundle(), Path("bundle")).ok());
  EXPECT_EQ(Bundle::Open(Path("bundle"), {.max_file_bytes = 100}).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(Bundle::Open(Path("bundle"), {.max_total_bytes = 4000}).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST_F(BundleTest, Parse_AnyFileMissing_NamesIt) {
  for (const auto& [path, bytes] : TinyFiles()) {
    SCOPED_TRACE(path);
    Files files = TinyFiles();
    files.erase(path);
    const absl::Status status = Bundle::Parse(files).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
    EXPECT_THAT(status.message(), HasSubstr(path + ": missing file"));
  }
}

TEST_F(BundleTest, Parse_RequiredFileNeitherThereNorListed_NamesIt) {
  for (const char* path :
       {"manifest.json", "calibration.json", "labels.json", "preprocess/image.json", "golden.json",
        "golden.safetensors", "weights.safetensors", "novelty.safetensors"}) {
    SCOPED_TRACE(path);
    Files files = TinyFiles();
    files.erase(path);
    Reseal(files);
    EXPECT_THAT(Bundle::Parse(files).status().message(),
                HasSubstr(std::string(path) + ": missing file"));
  }
}

TEST_F(BundleTest, Parse_WithoutOptionalFiles_LeavesThemUnset) {
  Files files = TinyFiles();
  for (const char* path : {"headmap.json", "policy.json", "report/index.html"}) files.erase(path);
  Reseal(files);
  const auto bundle = Bundle::Parse(files);
  ASSERT_TRUE(bundle.ok()) << bundle.status();
  EXPECT_FALSE(bundle->head_map().has_value());
  EXPECT_FALSE(bundle->policy_json().has_value());
  EXPECT_FALSE(bundle->report_html().has_value());
}

TEST_F(BundleTest, Parse_UnknownOrUnlistedFile_NamesIt) {
  Files unknown = TinyFiles();
  unknown["weights.pkl"] = "x";
  Reseal(unknown);
  EXPECT_THAT(Bundle::Parse(unknown).status().message(), HasSubstr("weights.pkl: not a file of"));
  Files text = TinyFiles();
  text["preprocess/text.json"] = "{}";
  Reseal(text);
  EXPECT_THAT(Bundle::Parse(text).status().message(), HasSubstr("preprocess/text.json: got"));
}

TEST_F(BundleTest, Parse_OneBitFlippedAnywhere_IsAWrongHash) {
  const Files good = TinyFiles();
  for (const auto& [path, bytes] : good) {
    if (path == container::kChecksumsFile) continue;
    Files files = good;
    files[path][bytes.size() / 2] ^= 1;
    EXPECT_THAT(Bundle::Parse(files).status().message(), HasSubstr(path + ": got sha256"));
  }
}

TEST_F(BundleTest, Parse_AnyFileCutAtAnyByte_IsAnErrorThatNamesTheFile) {
  const Files good = TinyFiles();
  for (const auto& [path, bytes] : good) {
    Files files = good;
    for (size_t size = 0; size < bytes.size(); ++size) {
      files[path] = bytes.substr(0, size);
      const absl::Status status = Bundle::Parse(files).status();
      ASSERT_FALSE(status.ok()) << path << " cut at " << size;
      ASSERT_THAT(status.message(), HasSubstr(path)) << "cut at " << size;
    }
  }
}

TEST_F(BundleTest, Parse_CutFileWithItsTrueHash_IsAnErrorThatNamesTheFile) {
  const Files good = TinyFiles();
  for (const auto& [path, bytes] : good) {
    if (path == container::kChecksumsFile || path == "report/index.html") continue;
    Files files = good;
    // The last byte of a JSON file is its line end, without which it is still whole.
    const size_t end = bytes.back() == '\n' ? bytes.size() - 1 : bytes.size();
    for (size_t size = 0; size < end; ++size) {
      files[path] = bytes.substr(0, size);
      Reseal(files);
      const absl::Status status = Bundle::Parse(files).status();
      ASSERT_FALSE(status.ok()) << path << " cut at " << size;
      ASSERT_THAT(status.message(), HasSubstr(path)) << "cut at " << size;
    }
  }
}

TEST_F(BundleTest, Parse_Signature_IsKeptAndOutsideTheDigest) {
  Files files = TinyFiles();
  const std::string digest = Bundle::Parse(files)->digest();
  files[container::kSignatureFile] = "signature";
  const auto bundle = Bundle::Parse(files);
  ASSERT_TRUE(bundle.ok()) << bundle.status();
  EXPECT_EQ(bundle->signature(), "signature");
  EXPECT_EQ(bundle->digest(), digest);
  EXPECT_EQ(bundle->checksums(), files[container::kChecksumsFile]);
}

TEST_F(BundleTest, Digest_AnyChange_ChangesItAndOnlyWeightsChangeTheWeightsDigest) {
  const auto before = Bundle::Parse(TinyFiles());
  Files files = TinyFiles();
  files["report/index.html"] += "\n";
  Reseal(files);
  const auto after = Bundle::Parse(files);
  ASSERT_TRUE(before.ok() && after.ok());
  EXPECT_NE(before->digest(), after->digest());
  EXPECT_EQ(before->weights_digest(), after->weights_digest());
}

TEST_F(BundleTest, MovedBundle_KeepsItsTensorViews) {
  Bundle first = Bundle::Parse(TinyFiles()).value();
  const auto before = first.weights().Floats("member.2.classifier.bias", {3});
  const Bundle second = std::move(first);
  EXPECT_EQ(second.weights().Floats("member.2.classifier.bias", {3}).value(), before.value());
}

}  // namespace
}  // namespace hydra::artifact
