// Any bytes as a safetensors file: an error, or tensors whose bytes can all be read.
#include "model/artifact/tensor_file.h"
#include "model/base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto file = hydra::artifact::TensorFile::Parse(
      std::string(reinterpret_cast<const char*>(data), size), "fuzz.safetensors");
  if (!file.ok()) return 0;
  std::map<std::string, hydra::artifact::TensorEntry> entries;
  for (const auto& [name, tensor] : file->tensors()) {
    HYDRA_CHECK(tensor.bytes.size() == tensor.values * hydra::artifact::DTypeBytes(tensor.dtype));
    const auto floats = hydra::artifact::ToFloats(tensor);
    HYDRA_CHECK(!floats.ok() || floats->size() == tensor.values);
    entries[name] = {tensor.dtype, tensor.shape, tensor.bytes};
  }
  HYDRA_CHECK(hydra::artifact::EncodeTensors(entries, file->metadata()).ok());
  return 0;
}
