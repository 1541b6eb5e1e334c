// Any bytes as an IDX file, plain or gzip: an error, or as many values as the header says.
#include "model/base/check.h"
#include "model/data/gzip.h"
#include "model/data/idx.h"

namespace data = hydra::data;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const auto contents = data::MaybeGunzip(std::string(reinterpret_cast<const char*>(bytes), size),
                                          1 << 20, "fuzz.idx");
  if (!contents.ok()) return 0;
  const auto images = data::ParseIdxImages(*contents, "fuzz.idx");
  HYDRA_CHECK(!images.ok() ||
              images->pixels.size() == images->count * images->height * images->width);
  const auto labels = data::ParseIdxLabels(*contents, "fuzz.idx");
  HYDRA_CHECK(!labels.ok() || labels->size() + 8 == contents->size());
  return 0;
}
