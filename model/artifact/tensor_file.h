// Safetensors files: reading with every offset checked, and writing.
// Format: 8 bytes little-endian header length, a JSON header {name: {dtype, shape, data_offsets}},
// then the tensors' bytes, row-major and little-endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "model/artifact/dtype.h"

namespace hydra::artifact {

struct TensorView {
  DType dtype = DType::kF32;
  std::vector<size_t> shape;  // empty: a scalar
  size_t values = 0;          // product of the shape
  absl::string_view bytes;    // values * DTypeBytes(dtype), not aligned; owned by the TensorFile
};

// Owns the file's bytes; views stay valid while it lives, also after a move.  Thread-safe once
// made.
class TensorFile {
 public:
  // `file` names the bytes in errors.  Errors: INVALID_ARGUMENT with the file, the tensor and the
  // field for anything that the format does not allow: offsets that overlap, leave a gap or leave
  // the file, a byte count that is not shape x dtype, a duplicate or unknown key, a size overflow.
  static absl::StatusOr<TensorFile> Parse(std::string bytes, std::string file);

  // Errors: as ReadFile (model/base/file.h) and as Parse.
  static absl::StatusOr<TensorFile> Open(const std::string& path, size_t max_bytes);

  const std::map<std::string, TensorView>& tensors() const { return tensors_; }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  const std::string& file() const { return file_; }
  bool Contains(const std::string& name) const { return tensors_.count(name) != 0; }

  // Errors: NOT_FOUND, naming file and tensor.
  absl::StatusOr<TensorView> Find(const std::string& name) const;

  // The tensor as float32, from F32, F16 or BF16 (both convert exactly).
  // Errors: NOT_FOUND no such tensor; INVALID_ARGUMENT another shape or a dtype that is not a
  // float.
  absl::StatusOr<std::vector<float>> Floats(const std::string& name,
                                            absl::Span<const size_t> shape) const;

  // The tensor as int64, from I64 or I32.  Errors: as Floats.
  absl::StatusOr<std::vector<int64_t>> Integers(const std::string& name,
                                                absl::Span<const size_t> shape) const;

 private:
  TensorFile() = default;

  std::string file_;
  std::unique_ptr<const std::string> bytes_;
  std::map<std::string, TensorView> tensors_;
  std::map<std::string, std::string> metadata_;
};

// Converts F32, F16 or BF16 to float32.  Errors: INVALID_ARGUMENT for another dtype.
absl::StatusOr<std::vector<float>> ToFloats(const TensorView& tensor);

// One tensor to write; `bytes` is row-major little-endian and must outlive the call.
struct TensorEntry {
  DType dtype = DType::kF32;
  std::vector<size_t> shape;
  absl::string_view bytes;
};

// The bytes of `values` for a TensorEntry of F32 or I64; views `values`.
absl::string_view BytesOf(absl::Span<const float> values);
absl::string_view BytesOf(absl::Span<const int64_t> values);

// A safetensors file with the tensors in the order of their names; equal input, equal bytes.
// Errors: INVALID_ARGUMENT an entry whose byte count is not shape x dtype, or a reserved name.
absl::StatusOr<std::string> EncodeTensors(const std::map<std::string, TensorEntry>& tensors,
                                          const std::map<std::string, std::string>& metadata);

}  // namespace hydra::artifact
