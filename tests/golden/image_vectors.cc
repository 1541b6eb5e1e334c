#include "tests/golden/image_vectors.h"

#include <fstream>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "model/base/check.h"
#include "nlohmann/json.hpp"

namespace hydra::golden {
namespace {

nlohmann::json LoadCases(const std::string& name) {
  std::ifstream stream(absl::StrCat(HYDRA_SOURCE_DIR, "/tests/golden/", name));
  HYDRA_CHECK(stream.good());
  nlohmann::json document = nlohmann::json::parse(stream, nullptr, false);
  HYDRA_CHECK(document.contains("cases"));
  return document["cases"];
}

std::vector<uint8_t> FromHex(const std::string& hex) {
  const std::string bytes = absl::HexStringToBytes(hex);
  return {bytes.begin(), bytes.end()};
}

// The generator of make_resize_vectors.py.
std::vector<uint8_t> Noise(size_t count, uint32_t seed) {
  std::vector<uint8_t> values(count);
  uint32_t state = seed;
  for (uint8_t& value : values) {
    state = 1664525u * state + 1013904223u;
    value = static_cast<uint8_t>(state >> 24);
  }
  return values;
}

}  // namespace

std::vector<ResizeCase> LoadResizeCases() {
  std::vector<ResizeCase> cases;
  for (const nlohmann::json& json : LoadCases("resize_vectors.json")) {
    ResizeCase one;
    const size_t height = json["from"][0], width = json["from"][1], channels = json["channels"];
    one.source = {
        .height = height,
        .width = width,
        .channels = channels,
        .pixels = Noise(height * width * channels, static_cast<uint32_t>(height * 1000 + width))};
    one.height = json["to"][0];
    one.width = json["to"][1];
    one.filter = json["filter"] == "bicubic" ? artifact::ResampleFilter::kBicubic
                                             : artifact::ResampleFilter::kBilinear;
    one.pixels = FromHex(json["pixels"]);
    one.name = absl::StrCat(height, "x", width, " to ", one.height, "x", one.width, " ", channels,
                            " ", json["filter"].get<std::string>());
    cases.push_back(one);
  }
  return cases;
}

std::vector<DecodeCase> LoadDecodeCases() {
  std::vector<DecodeCase> cases;
  for (const nlohmann::json& json : LoadCases("decode_vectors.json")) {
    DecodeCase one{.name = json["name"],
                   .height = json["height"],
                   .width = json["width"],
                   .file = "",
                   .rgb = FromHex(json["rgb"]),
                   .grey = FromHex(json["grey"])};
    HYDRA_CHECK(absl::Base64Unescape(json["file"].get<std::string>(), &one.file));
    cases.push_back(one);
  }
  return cases;
}

std::string EncodedImage(const std::string& name) {
  for (const DecodeCase& one : LoadDecodeCases()) {
    if (one.name == name) return one.file;
  }
  HYDRA_CHECK(false);
}

}  // namespace hydra::golden
