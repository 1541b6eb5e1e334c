// Any bytes as EXIF and XMP metadata, and as the files that hold them: an orientation or none.
#include <cstddef>
#include <cstdint>

#include "model/base/check.h"
#include "model/preprocess/metadata/exif.h"
#include "model/preprocess/metadata/jpeg_markers.h"
#include "model/preprocess/metadata/png_chunks.h"

namespace metadata = hydra::preprocess::metadata;

namespace {

void CheckRange(metadata::Orientation orientation) {
  HYDRA_CHECK(orientation >= metadata::Orientation::kUpright &&
              orientation <= metadata::Orientation::kRotated90Left);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  CheckRange(metadata::ExifOrientation(bytes).value_or(metadata::Orientation::kUpright));
  CheckRange(metadata::XmpOrientation(bytes).value_or(metadata::Orientation::kUpright));
  CheckRange(metadata::JpegOrientation(bytes));
  CheckRange(metadata::PngOrientation(bytes));
  metadata::TransparentColour(bytes);
  return 0;
}
