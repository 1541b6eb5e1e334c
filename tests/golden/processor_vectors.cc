#include "tests/golden/processor_vectors.h"

#include <zlib.h>

#include <fstream>

#include "absl/strings/escaping.h"
#include "model/base/check.h"
#include "nlohmann/json.hpp"

namespace hydra::golden {
namespace {

constexpr uLongf kMaxPixelBytes = 1 << 16;

std::string FromBase64(const nlohmann::json& text) {
  std::string bytes;
  HYDRA_CHECK(absl::Base64Unescape(text.get<std::string>(), &bytes));
  return bytes;
}

std::vector<uint8_t> Unpack(const std::string& packed) {
  std::vector<uint8_t> bytes(kMaxPixelBytes);
  uLongf size = kMaxPixelBytes;
  HYDRA_CHECK(uncompress(bytes.data(), &size, reinterpret_cast<const Bytef*>(packed.data()),
                         packed.size()) == Z_OK);
  bytes.resize(size);
  return bytes;
}

}  // namespace

std::vector<ProcessorCase> LoadProcessorCases() {
  std::ifstream stream(HYDRA_SOURCE_DIR "/tests/golden/processor_vectors.json");
  const auto document = nlohmann::json::parse(stream, nullptr, false);
  HYDRA_CHECK(document.contains("cases"));
  std::vector<ProcessorCase> cases;
  for (const nlohmann::json& json : document["cases"]) {
    ProcessorCase one{.name = json["file"], .file = FromBase64(json["data"]), .answers = {}};
    const std::string setting = json["setting"];
    one.answers.push_back({setting,
                           {.config_json = document["settings"][setting].dump(),
                            .pixels = Unpack(FromBase64(json["pixels"])),
                            .sha256 = "",
                            .samples = {}}});
    for (const auto& [name, answer] : json["defaults"].items()) {
      one.answers.push_back({name,
                             {.config_json = document["defaults"][name].dump(),
                              .pixels = {},
                              .sha256 = answer["sha256"],
                              .samples = answer["samples"]}});
    }
    cases.push_back(std::move(one));
  }
  return cases;
}

}  // namespace hydra::golden
