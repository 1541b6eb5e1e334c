// Reads processor_vectors.json, which make_processor_vectors.py wrote.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hydra::golden {

// What one processor of the reference made of one image.
struct ProcessorAnswer {
  std::string config_json;                        // preprocessor_config.json
  std::vector<uint8_t> pixels;                    // [C, H, W]; of the small settings only
  std::string sha256;                             // of the pixels; of the default settings only
  std::vector<std::pair<size_t, float>> samples;  // index and normalised value
};

struct ProcessorCase {
  std::string name;
  std::string file;
  std::vector<std::pair<std::string, ProcessorAnswer>> answers;  // by the setting's name
};

// Ends the test program with a message when the file is missing or malformed.
std::vector<ProcessorCase> LoadProcessorCases();

}  // namespace hydra::golden
