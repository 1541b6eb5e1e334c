#include "model/artifact/dtype.h"

#include <array>
#include <cmath>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace hydra::artifact {
namespace {

constexpr size_t kMaxValues = size_t{1} << 48;

struct Entry {
  DType dtype;
  absl::string_view name;
  size_t bytes;
};

// In the order of the enumerators.
constexpr std::array<Entry, 13> kEntries = {{{DType::kBool, "BOOL", 1},
                                             {DType::kU8, "U8", 1},
                                             {DType::kI8, "I8", 1},
                                             {DType::kU16, "U16", 2},
                                             {DType::kI16, "I16", 2},
                                             {DType::kF16, "F16", 2},
                                             {DType::kBF16, "BF16", 2},
                                             {DType::kU32, "U32", 4},
                                             {DType::kI32, "I32", 4},
                                             {DType::kF32, "F32", 4},
                                             {DType::kU64, "U64", 8},
                                             {DType::kI64, "I64", 8},
                                             {DType::kF64, "F64", 8}}};

float FloatOfBits(uint32_t bits) {
  float value = 0.0f;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

}  // namespace

absl::string_view DTypeName(DType dtype) { return kEntries[static_cast<size_t>(dtype)].name; }

size_t DTypeBytes(DType dtype) { return kEntries[static_cast<size_t>(dtype)].bytes; }

absl::StatusOr<DType> ParseDType(absl::string_view name) {
  for (const Entry& entry : kEntries) {
    if (entry.name == name) return entry.dtype;
  }
  return absl::InvalidArgumentError(absl::StrCat("got dtype \"", name, "\", want F32, F16, ..."));
}

absl::StatusOr<size_t> ValueCount(absl::Span<const size_t> shape) {
  size_t values = 1;
  for (const size_t dimension : shape) {
    if (__builtin_mul_overflow(values, dimension, &values) || values > kMaxValues) {
      return absl::InvalidArgumentError("got more than 2^48 values");
    }
  }
  return values;
}

float HalfToFloat(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  const uint32_t exponent = (bits >> 10) & 0x1fu;
  const uint32_t fraction = bits & 0x3ffu;
  if (exponent == 0x1f) return FloatOfBits(sign | 0x7f800000u | (fraction << 13));
  if (exponent != 0) return FloatOfBits(sign | ((exponent + 112) << 23) | (fraction << 13));
  const float magnitude = std::ldexp(static_cast<float>(fraction), -24);  // subnormal or zero
  return sign != 0 ? -magnitude : magnitude;
}

float BFloat16ToFloat(uint16_t bits) { return FloatOfBits(static_cast<uint32_t>(bits) << 16); }

}  // namespace hydra::artifact
