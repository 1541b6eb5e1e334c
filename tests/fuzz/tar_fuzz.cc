// Any bytes as a tar archive: an error, or files that survive another archive.
#include "model/artifact/bundle.h"
#include "model/artifact/container/tar_archive.h"
#include "model/base/check.h"

namespace container = hydra::artifact::container;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto files = container::ParseTar({reinterpret_cast<const char*>(data), size},
                                         {.max_file_bytes = 1 << 20, .max_total_bytes = 1 << 20});
  if (!files.ok()) return 0;
  const auto archive = container::EncodeTar(*files);
  HYDRA_CHECK(!archive.ok() || container::ParseTar(*archive, {}).value() == *files);
  // Whatever it says, a bundle of these files must not bring the reader down.
  const auto bundle = hydra::artifact::Bundle::Parse(*files);
  HYDRA_CHECK(!bundle.ok() || bundle->digest().size() == 64);
  return 0;
}
