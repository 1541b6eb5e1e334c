// The value types of tensors in files, and their conversion to float32.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace hydra::artifact {

enum class DType { kBool, kU8, kI8, kU16, kI16, kF16, kBF16, kU32, kI32, kF32, kU64, kI64, kF64 };

absl::string_view DTypeName(DType dtype);  // as in safetensors: "F32"
size_t DTypeBytes(DType dtype);            // of one value

// Errors: INVALID_ARGUMENT for any other name.
absl::StatusOr<DType> ParseDType(absl::string_view name);

// Product of the dimensions; 1 for a scalar.  Errors: INVALID_ARGUMENT above 2^48.
absl::StatusOr<size_t> ValueCount(absl::Span<const size_t> shape);

// IEEE 754 binary16 and bfloat16 bit patterns; exact.
float HalfToFloat(uint16_t bits);
float BFloat16ToFloat(uint16_t bits);

}  // namespace hydra::artifact
