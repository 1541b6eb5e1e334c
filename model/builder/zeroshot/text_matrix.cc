#include "model/builder/zeroshot/text_matrix.h"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "model/base/status_macros.h"
#include "model/nn/catch_torch.h"
#include "model/nn/checkpoint/weight_files.h"
#include "model/nn/pass/forward.h"
#include "model/text/tokenizer.h"

namespace hydra::builder {
namespace {

constexpr char kSlot[] = "{}";
constexpr size_t kTextsPerBatch = 64;

absl::Status CheckPrompts(const Prompts& prompts) {
  if (prompts.names.empty() || prompts.templates.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("prompts: got ", prompts.names.size(),
                                                   " classes and ", prompts.templates.size(),
                                                   " templates, want at least 1 of each"));
  }
  for (const std::string& text : prompts.templates) {
    if (absl::StrContains(text, kSlot)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("templates: got \"", text, "\", want a text with ", kSlot, " in it"));
  }
  return absl::OkStatus();
}

// Class-major: all prompts of the first class, then of the second.
absl::StatusOr<std::vector<std::vector<int64_t>>> Tokens(const InputSettings& inputs,
                                                         const Prompts& prompts) {
  HYDRA_ASSIGN_OR_RETURN(const text::Tokenizer tokenizer,
                         text::Tokenizer::Create(*inputs.tokenizer_json, *inputs.text));
  std::vector<std::vector<int64_t>> tokens;
  for (const std::string& name : prompts.names) {
    for (const std::string& text : prompts.templates) {
      const std::string prompt = absl::StrReplaceAll(text, {{kSlot, name}});
      HYDRA_ASSIGN_OR_RETURN(text::TokenizedText encoded, tokenizer.Encode(prompt));
      if (encoded.truncated_tokens > 0) {
        return absl::InvalidArgumentError(absl::StrCat(
            "prompt \"", prompt, "\": got ", encoded.truncated_tokens + encoded.ids.size(),
            " tokens, want at most ", inputs.text->max_tokens));
      }
      tokens.push_back(std::move(encoded.ids));
    }
  }
  return tokens;
}

nn::TokenBatch Batch(absl::Span<const std::vector<int64_t>> texts) {
  nn::TokenBatch batch;
  std::vector<int64_t> ids;
  for (const std::vector<int64_t>& text : texts) {
    ids.insert(ids.end(), text.begin(), text.end());
    batch.lengths.push_back(static_cast<int64_t>(text.size()));
  }
  batch.ids = at::tensor(ids, at::kLong);
  return batch;
}

}  // namespace

absl::StatusOr<at::Tensor> TextMatrix(const nn::Network& text_side, const InputSettings& inputs,
                                      const Prompts& prompts) {
  HYDRA_RETURN_IF_ERROR(CheckPrompts(prompts));
  HYDRA_ASSIGN_OR_RETURN(const auto tokens, Tokens(inputs, prompts));
  return nn::CatchTorch("prompts", [&]() -> absl::StatusOr<at::Tensor> {
    const c10::AutoGradMode no_gradients(false);
    std::vector<at::Tensor> features;
    for (size_t begin = 0; begin < tokens.size(); begin += kTextsPerBatch) {
      const auto texts = absl::MakeConstSpan(tokens).subspan(begin, kTextsPerBatch);
      features.push_back(nn::Forward(text_side, Batch(texts))[0]);
    }
    const at::Tensor means = at::cat(features)
                                 .view({static_cast<int64_t>(prompts.names.size()),
                                        static_cast<int64_t>(prompts.templates.size()), -1})
                                 .mean(1);
    return means / means.norm(2, -1, /*keepdim=*/true);
  });
}

absl::StatusOr<double> ReadLogitScale(const std::string& directory) {
  HYDRA_ASSIGN_OR_RETURN(const nn::WeightFiles files, nn::WeightFiles::Open(directory));
  HYDRA_ASSIGN_OR_RETURN(const at::Tensor logarithm, files.Read("logit_scale", {}));
  return std::min(std::exp(logarithm.item<double>()), kMaxLogitScale);
}

}  // namespace hydra::builder
