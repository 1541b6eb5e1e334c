#include "model/builder/source/shift_data.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "model/base/rng.h"

namespace hydra::builder {

absl::StatusOr<LabelledData> CorruptImages(const LabelledData& data, data::Corruption corruption,
                                           size_t severity, uint64_t seed) {
  if (data.examples.texts()) {
    return absl::FailedPreconditionError("shift sets: got texts, want images");
  }
  LabelledData shifted = data;
  at::Tensor& pixels = shifted.examples.pixels;
  pixels = data.examples.pixels.clone(at::MemoryFormat::Contiguous);
  const data::RasterShape shape{static_cast<size_t>(pixels.size(1)),
                                static_cast<size_t>(pixels.size(2)),
                                static_cast<size_t>(pixels.size(3))};
  const size_t values = shape.channels * shape.height * shape.width;
  const std::string purpose = absl::StrCat(
      "corruption ", std::string(data::CorruptionName(corruption)), " ", severity, " ");
  for (size_t i = 0; i < data.examples.size(); ++i) {
    base::Rng rng = base::Rng::ForPurpose(seed, purpose + data.digests[i]);
    data::Corrupt({pixels.data_ptr<uint8_t>() + i * values, values}, shape, corruption, severity,
                  rng);
  }
  return shifted;
}

}  // namespace hydra::builder
