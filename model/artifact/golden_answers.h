// golden.json and golden.safetensors of a bundle: inputs with the member logits they must give.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace hydra::artifact {

// Letters as everywhere: M members, B batch, C classes, T tokens.
struct GoldenAnswers {
  size_t members = 0;                   // M
  size_t batch = 0;                     // B
  size_t classes = 0;                   // C
  size_t row_values = 0;                // image families: channels * height * width
  size_t tokens = 0;                    // text families: T
  std::vector<float> inputs;            // [B, row_values] after preprocessing; image families
  std::vector<int64_t> token_ids;       // [B, T]; text families
  std::vector<int64_t> attention_mask;  // [B, T], 0 or 1; text families
  std::vector<float> logits;            // [M, B, C] before the temperature
  std::string dtype = "float32";        // numerics that made the logits
  // By dtype of the replay: largest |got - want| over all logits, divided by the largest |want|.
  std::map<std::string, double> tolerance;
};

}  // namespace hydra::artifact
