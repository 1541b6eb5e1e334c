// Any text as calibration.json: an error, or a calibration that reads back as it was written.
#include "model/artifact/codec/calibration_codec.h"
#include "model/base/check.h"
#include "tests/golden/tiny_bundle.h"

namespace codec = hydra::artifact::codec;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const hydra::artifact::Manifest manifest = hydra::golden::TinyBundle().documents.manifest;
  const auto calibration =
      codec::ParseCalibration({reinterpret_cast<const char*>(data), size}, manifest);
  if (!calibration.ok()) return 0;
  const auto text = codec::EncodeCalibration(*calibration);
  HYDRA_CHECK(text.ok());
  const auto again = codec::ParseCalibration(*text, manifest);
  HYDRA_CHECK(again.ok());
  HYDRA_CHECK(codec::EncodeCalibration(*again).value() == *text);
  return 0;
}
