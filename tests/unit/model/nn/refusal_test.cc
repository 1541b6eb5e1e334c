// Checkpoints that are damaged or not supported are refused, and the message names what.
#include <filesystem>
#include <functional>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/file.h"
#include "model/nn/checkpoint/checkpoint.h"
#include "nlohmann/json.hpp"
#include "tests/unit/model/nn/encoder_vectors.h"

namespace hydra::nn {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using testing::EncoderCase;
using ::testing::HasSubstr;

// A copy of a case that a test may damage.
std::string CopyOf(const std::string& name) {
  const std::string directory = ::testing::TempDir() + "/hydra_damaged";
  std::filesystem::remove_all(directory);
  std::filesystem::copy(EncoderCase(name), directory);
  return directory;
}

void EditJson(const std::string& path, const std::function<void(json&)>& edit) {
  json document = json::parse(base::ReadFile(path, 1 << 20).value());
  edit(document);
  ASSERT_TRUE(base::WriteFileAtomically(path, document.dump()).ok());
}

std::string ErrorWith(const std::string& name, const std::function<void(json&)>& edit) {
  const std::string directory = CopyOf(name);
  EditJson(directory + "/config.json", edit);
  return ImportCheckpoint(directory).status().ToString();
}

std::string ErrorWith(const std::string& name, const char* key, const json& value) {
  return ErrorWith(name, [&](json& config) { config[key] = value; });
}

TEST(RefusalTest, FamilyOrHead_IsNamedWithThoseSupported) {
  EXPECT_THAT(ErrorWith("vit_plain", "model_type", "swin"),
              AllOf(HasSubstr("UNIMPLEMENTED"),
                    HasSubstr("model_type: got \"swin\", want one of: vit, deit, dinov2, "
                              "dinov2_with_registers, bert, roberta, distilbert, clip, "
                              "vision-text-dual-encoder")));
  EXPECT_THAT(
      ErrorWith("bert", "architectures", {"BertForTokenClassification"}),
      HasSubstr("architectures: got \"BertForTokenClassification\", want one of: BertModel, "
                "BertForPreTraining, BertForMaskedLM, BertForSequenceClassification"));
  EXPECT_THAT(ErrorWith("bert", "architectures", 7), HasSubstr("architectures: got \"\""));
}

TEST(RefusalTest, Problem_IsNamed) {
  EXPECT_THAT(ErrorWith("bert", "problem_type", "multi_label_classification"),
              HasSubstr("problem_type: got \"multi_label_classification\""));
  EXPECT_THAT(ErrorWith("vit_plain", "problem_type", "regression"),
              HasSubstr("problem_type: got \"regression\""));
  EXPECT_THAT(ErrorWith("roberta", "id2label", {{"0", "LABEL_0"}}),
              HasSubstr("id2label: got 1 class, want at least 2 (no regression)"));
}

TEST(RefusalTest, VariantOfTheEncoder_IsNamed) {
  EXPECT_THAT(ErrorWith("bert", "is_decoder", true), HasSubstr("is_decoder: got true"));
  EXPECT_THAT(ErrorWith("bert", "add_cross_attention", true),
              HasSubstr("add_cross_attention: got true"));
  EXPECT_THAT(ErrorWith("bert", "position_embedding_type", "relative_key"),
              HasSubstr("position_embedding_type: got \"relative_key\", want \"absolute\""));
  EXPECT_THAT(ErrorWith("vit_plain", "hidden_act", "mish"), HasSubstr("hidden_act: got \"mish\""));
  EXPECT_THAT(ErrorWith("distilbert", "activation", "silu"), HasSubstr("activation: got \"silu\""));
  EXPECT_THAT(ErrorWith("dual_vit_bert",
                        [](json& config) { config["vision_config"]["model_type"] = "swin"; }),
              HasSubstr("model_type of a tower: got \"swin\""));
  EXPECT_THAT(ErrorWith("dual_vit_bert",
                        [](json& config) { config["vision_config"]["pooler_act"] = "gelu"; }),
              HasSubstr("pooler_act: got \"gelu\", want tanh or relu"));
}

TEST(RefusalTest, SizeOutOfRange_IsNamed) {
  EXPECT_THAT(ErrorWith("vit_plain", "num_attention_heads", 5),
              HasSubstr("want a multiple of num_attention_heads 5"));
  EXPECT_THAT(ErrorWith("vit_plain", "hidden_size", -1), HasSubstr("hidden_size: got -1"));
  EXPECT_THAT(ErrorWith("vit_plain", "patch_size", 13),
              HasSubstr("patch_size: got 13, want at most image_size 12"));
  EXPECT_THAT(ErrorWith("roberta", "pad_token_id", 99), HasSubstr("pad_token_id: got 99"));
  EXPECT_THAT(ErrorWith("bert", "layer_norm_eps", "small"),
              HasSubstr("layer_norm_eps: got \"small\""));
  EXPECT_THAT(ErrorWith("dinov2", "mlp_ratio", 0), HasSubstr("mlp_ratio: got 0"));
  EXPECT_THAT(ErrorWith("clip", "vision_config", 3), HasSubstr("vision_config: want an object"));
}

TEST(RefusalTest, ImageSizeOfTheProcessorOutOfRange_IsNamed) {
  for (const size_t side : {size_t{3}, size_t{4097}}) {
    const std::string directory = CopyOf("vit_plain");
    EditJson(directory + "/preprocessor_config.json",
             [&](json& processor) { processor["size"]["width"] = side; });
    EXPECT_THAT(ImportCheckpoint(directory).status().message(),
                HasSubstr(absl::StrCat("images of 12 x ", side, ", want sides of 4..4096")));
  }
}

TEST(RefusalTest, TensorThatDoesNotFit_IsNamed) {
  EXPECT_THAT(ErrorWith("vit_plain", "intermediate_size", 41),
              HasSubstr("vit.encoder.layer.0.intermediate.dense.weight"));
  EXPECT_THAT(ErrorWith("bert", "num_hidden_layers", 3), HasSubstr("bert.encoder.layer.2."));
  EXPECT_THAT(ErrorWith("dinov2_registers", "num_register_tokens", 2),
              HasSubstr("prefix tokens: got 4, want 3"));
  EXPECT_THAT(ErrorWith("distilbert", "max_position_embeddings", 14),
              HasSubstr("distilbert.embeddings.position_embeddings.weight"));
}

TEST(RefusalTest, TextSideOfOneSidedFamily_IsRefused) {
  EXPECT_THAT(ImportTextSide(EncoderCase("vit_plain")).status().message(),
              HasSubstr("model_type: got \"vit\", want clip or vision-text-dual-encoder"));
}

TEST(RefusalTest, MissingFiles_AreNamed) {
  EXPECT_EQ(ImportCheckpoint("/nonexistent").status().code(), absl::StatusCode::kNotFound);
  const std::string directory = CopyOf("bert");
  std::filesystem::remove(directory + "/model.safetensors");
  EXPECT_THAT(ImportCheckpoint(directory).status().message(),
              HasSubstr("want model.safetensors or model.safetensors.index.json"));
}

std::string ErrorWithIndex(const std::function<void(json&)>& edit) {
  const std::string directory = CopyOf("bert_sharded");
  EditJson(directory + "/model.safetensors.index.json", edit);
  return ImportCheckpoint(directory).status().ToString();
}

TEST(RefusalTest, IndexNamingFilesElsewhere_IsRefused) {
  const std::string tensor = "classifier.bias";
  for (const char* file : {"../model.safetensors", "/etc/passwd", "a/b", ".hidden", ".."}) {
    EXPECT_THAT(ErrorWithIndex([&](json& index) { index["weight_map"][tensor] = file; }),
                HasSubstr(absl::StrCat("weight_map: classifier.bias: got \"", file,
                                       "\", want the name of a file beside it")));
  }
  EXPECT_THAT(ErrorWithIndex([&](json& index) { index["weight_map"][tensor] = 3; }),
              HasSubstr("weight_map: classifier.bias: got 3"));
  EXPECT_THAT(ErrorWithIndex([](json& index) { index.erase("weight_map"); }),
              HasSubstr("model.safetensors.index.json: want an object with the object weight_map"));
}

TEST(RefusalTest, ShardThatLacksTensorsOrIsMissing_IsNamed) {
  EXPECT_THAT(ErrorWithIndex([](json& index) {
                index["weight_map"]["more"] = index["weight_map"]["classifier.bias"];
              }),
              HasSubstr("weight_map: more: not in model-0000"));
  const std::string directory = CopyOf("bert_sharded");
  std::filesystem::remove(directory + "/model-00002-of-00003.safetensors");
  EXPECT_THAT(ImportCheckpoint(directory).status().ToString(),
              AllOf(HasSubstr("NOT_FOUND"), HasSubstr("model-00002-of-00003.safetensors")));
}

}  // namespace
}  // namespace hydra::nn
