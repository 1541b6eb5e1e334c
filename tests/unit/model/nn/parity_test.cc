// Every family equals the reference library: answers, hidden states and attention probabilities.
// The largest differences are recorded as properties, from which tests/golden/parity_table.py makes
// the table in docs/families.md.
#include <c10/core/GradMode.h>

#include <algorithm>
#include <ostream>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "model/nn/checkpoint/checkpoint.h"
#include "model/nn/pass/embed.h"
#include "tests/unit/model/nn/encoder_vectors.h"

namespace hydra::nn {
namespace {

using testing::EncoderCase;
using testing::EncoderVectors;
using testing::RelativeDifference;

constexpr double kTolerance = 1e-4;  // relative to the largest reference value
constexpr double kSameRow = 1e-5;    // of a row alone and in a batch

enum class Side { kOnly, kText };

struct ParityCase {
  std::string name;
  Side side = Side::kOnly;
};

void PrintTo(const ParityCase& parity, std::ostream* out) {
  *out << parity.name << (parity.side == Side::kText ? " (text side)" : "");
}

Network Import(const ParityCase& parity) {
  if (parity.side == Side::kText) return ImportTextSide(EncoderCase(parity.name)).value();
  return ImportCheckpoint(EncoderCase(parity.name)).value().network;
}

EncoderVectors Vectors(const ParityCase& parity) {
  return testing::ReadVectors(
      parity.name, parity.side == Side::kText ? "text_vectors.safetensors" : "vectors.safetensors");
}

double LargestOf(const std::vector<at::Tensor>& got, const std::vector<at::Tensor>& want) {
  EXPECT_EQ(got.size(), want.size());
  double largest = 0.0;
  for (size_t l = 0; l < std::min(got.size(), want.size()); ++l)
    largest = std::max(largest, RelativeDifference(got[l], want[l]));
  return largest;
}

// The first `count` inputs of the vectors.
EncoderVectors Head(const Network& network, const EncoderVectors& vectors, int64_t count) {
  EncoderVectors head{.input = SliceInput(vectors.input, 0, count),
                      .answer = vectors.answer.narrow(0, 0, count)};
  int64_t rows = 0;
  for (const int64_t tokens : TokenCounts(network, head.input)) rows += tokens;
  for (const at::Tensor& hidden : vectors.hidden) head.hidden.push_back(hidden.narrow(0, 0, rows));
  return head;
}

class ParityTest : public ::testing::TestWithParam<ParityCase> {
 protected:
  static void Record(const char* what, double difference) {
    RecordProperty(what, absl::StrCat(difference));
    EXPECT_LE(difference, kTolerance) << what;
  }

 private:
  const c10::AutoGradMode inference_{false};  // the fused attention kernel
};

TEST_P(ParityTest, EveryBatchSize_EqualsTheReference) {
  const Network network = Import(GetParam());
  const EncoderVectors all = Vectors(GetParam());
  ASSERT_EQ(all.hidden.size(), network.geometry.layers);
  double answers = 0.0, hidden = 0.0;
  for (int64_t count = 1; count <= InputSize(all.input); ++count) {
    const EncoderVectors want = Head(network, all, count);
    const EncoderVectors got = testing::Observe(network, want.input);
    answers = std::max(answers, RelativeDifference(got.answer, want.answer));
    hidden = std::max(hidden, LargestOf(got.hidden, want.hidden));
  }
  Record("answers", answers);
  Record("hidden_states", hidden);
}

TEST_P(ParityTest, Attention_EqualsTheReference) {
  const Network network = Import(GetParam());
  const EncoderVectors want = Vectors(GetParam());
  const EncoderVectors got = testing::ObserveWithAttention(network, want.input);
  Record("attention", LargestOf(got.attention, want.attention));
  EXPECT_LE(RelativeDifference(got.answer, want.answer), kTolerance);
}

TEST_P(ParityTest, RowAlone_EqualsRowInBatch) {
  const Network network = Import(GetParam());
  const Input input = Vectors(GetParam()).input;
  const at::Tensor together = Forward(network, input)[0];
  for (int64_t b = 0; b < InputSize(input); ++b) {
    const at::Tensor alone = Forward(network, SliceInput(input, b, 1))[0];
    EXPECT_LE(RelativeDifference(alone, together.narrow(0, b, 1)), kSameRow) << "row " << b;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Checkpoints, ParityTest,
    ::testing::Values(
        ParityCase{"vit_plain"}, ParityCase{"vit_no_qkv_bias"}, ParityCase{"vit_uneven"},
        ParityCase{"vit_model"}, ParityCase{"vit_fp16"}, ParityCase{"vit_resized"},
        ParityCase{"deit_relu"}, ParityCase{"deit_teacher"}, ParityCase{"dinov2"},
        ParityCase{"dinov2_swiglu"}, ParityCase{"dinov2_model"}, ParityCase{"dinov2_resized"},
        ParityCase{"dinov2_registers"}, ParityCase{"dinov2_registers_swiglu"},
        ParityCase{"dinov2_registers_resized"}, ParityCase{"dinov2_registers_reduced"},
        ParityCase{"bert"}, ParityCase{"bert_gelu_new"}, ParityCase{"bert_model"},
        ParityCase{"bert_without_pooler"}, ParityCase{"bert_pretrained"},
        ParityCase{"bert_masked_lm"}, ParityCase{"bert_sharded"}, ParityCase{"bert_bf16"},
        ParityCase{"roberta"}, ParityCase{"roberta_model"}, ParityCase{"distilbert"},
        ParityCase{"distilbert_model"}, ParityCase{"roberta_masked_lm"},
        ParityCase{"distilbert_masked_lm"}, ParityCase{"clip"}, ParityCase{"clip_gelu"},
        ParityCase{"clip_eos_2"}, ParityCase{"dual_vit_bert"}, ParityCase{"dual_vit_roberta"},
        ParityCase{"dual_clip_bert"}, ParityCase{"clip", Side::kText},
        ParityCase{"clip_gelu", Side::kText}, ParityCase{"clip_eos_2", Side::kText},
        ParityCase{"dual_vit_bert", Side::kText}, ParityCase{"dual_vit_roberta", Side::kText},
        ParityCase{"dual_clip_bert", Side::kText}),
    [](const auto& parameters) {
      return absl::StrCat(parameters.param.name,
                          parameters.param.side == Side::kText ? "_text_side" : "");
    });

}  // namespace
}  // namespace hydra::nn
