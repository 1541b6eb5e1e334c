// Reads resize_vectors.json and decode_vectors.json, which make_resize_vectors.py wrote.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/artifact/image_settings.h"
#include "model/preprocess/raster.h"

namespace hydra::golden {

struct ResizeCase {
  std::string name;
  preprocess::Raster source;
  size_t height = 0;
  size_t width = 0;
  artifact::ResampleFilter filter = artifact::ResampleFilter::kBilinear;
  std::vector<uint8_t> pixels;
};

struct DecodeCase {
  std::string name;
  size_t height = 0;
  size_t width = 0;
  std::string file;
  std::vector<uint8_t> rgb;
  std::vector<uint8_t> grey;
};

// End the test program with a message when the file is missing or malformed.
std::vector<ResizeCase> LoadResizeCases();
std::vector<DecodeCase> LoadDecodeCases();

// The encoded image of one decode case.
std::string EncodedImage(const std::string& name);

}  // namespace hydra::golden
