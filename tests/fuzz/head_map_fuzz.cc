// Any text as headmap.json: an error, or a head map that reads back as it was written.
#include "model/artifact/codec/head_map_codec.h"
#include "model/base/check.h"
#include "tests/golden/tiny_bundle.h"

namespace codec = hydra::artifact::codec;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const hydra::artifact::Manifest manifest = hydra::golden::TinyBundle().documents.manifest;
  const auto map = codec::ParseHeadMap({reinterpret_cast<const char*>(data), size}, manifest);
  if (!map.ok()) return 0;
  const auto text = codec::EncodeHeadMap(*map);
  HYDRA_CHECK(text.ok());
  HYDRA_CHECK(codec::ParseHeadMap(*text, manifest).ok());
  return 0;
}
