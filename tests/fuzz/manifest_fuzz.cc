// Any text as manifest.json: an error, or a manifest that reads back as it was written.
#include "model/artifact/codec/manifest_codec.h"
#include "model/base/check.h"

namespace codec = hydra::artifact::codec;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto manifest = codec::ParseManifest({reinterpret_cast<const char*>(data), size});
  if (!manifest.ok()) return 0;
  const auto text = codec::EncodeManifest(*manifest);
  HYDRA_CHECK(text.ok());
  const auto again = codec::ParseManifest(*text);
  HYDRA_CHECK(again.ok());
  HYDRA_CHECK(codec::EncodeManifest(*again).value() == *text);
  return 0;
}
