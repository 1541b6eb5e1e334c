#include "server/rpc/predict/row_reader.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "model/base/status_detail.h"
#include "model/base/status_macros.h"

namespace hydra::rpc {
namespace {

static_assert(std::endian::native == std::endian::little, "the wire's tensors are little-endian");

absl::Status BadInput(absl::string_view reason, absl::string_view message) {
  return base::WithReason(absl::InvalidArgumentError(message), reason);
}

absl::Status CheckByteCount(absl::string_view bytes, size_t wanted) {
  if (bytes.size() == wanted) return absl::OkStatus();
  return BadInput("WRONG_BYTE_COUNT", absl::StrCat("got ", bytes.size(), " bytes, want ", wanted));
}

}  // namespace

std::string ShapeText(const std::vector<int64_t>& shape) {
  return absl::StrCat("[", absl::StrJoin(shape, ", "), "]");
}

std::vector<int64_t> RowReader::shape() const {
  const artifact::Geometry& geometry = bundle_.manifest.geometry;
  return {static_cast<int64_t>(geometry.channels), static_cast<int64_t>(geometry.image_height),
          static_cast<int64_t>(geometry.image_width)};
}

size_t RowReader::row_values() const {
  const artifact::Geometry& geometry = bundle_.manifest.geometry;
  return geometry.channels * geometry.image_height * geometry.image_width;
}

absl::Status RowReader::CheckShape(const std::vector<int64_t>& shape) const {
  if (shape == this->shape()) return absl::OkStatus();
  return BadInput("WRONG_SHAPE",
                  absl::StrCat("got ", ShapeText(shape), ", want ", ShapeText(this->shape())));
}

absl::StatusOr<std::vector<float>> RowReader::Image(absl::string_view encoded) const {
  if (!bundle_.image_settings) return BadInput("WRONG_INPUT_KIND", "this model takes no images");
  absl::StatusOr<std::vector<float>> row =
      preprocess::PreprocessImage(encoded, *bundle_.image_settings, limits_);
  if (!row.ok()) return BadInput("BAD_IMAGE", row.status().message());
  return row;
}

absl::StatusOr<std::vector<float>> RowReader::Pixels(absl::string_view bytes) const {
  if (!bundle_.image_settings) return BadInput("WRONG_INPUT_KIND", "this model takes no images");
  HYDRA_RETURN_IF_ERROR(CheckByteCount(bytes, row_values()));
  return preprocess::NormalizePixels(
      absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()),
      *bundle_.image_settings);
}

absl::StatusOr<std::vector<float>> RowReader::Values(absl::string_view bytes) const {
  HYDRA_RETURN_IF_ERROR(CheckByteCount(bytes, row_values() * sizeof(float)));
  std::vector<float> row(row_values());
  std::memcpy(row.data(), bytes.data(), bytes.size());
  for (size_t i = 0; i < row.size(); ++i) {
    if (!std::isfinite(row[i])) {
      return BadInput("NON_FINITE_INPUT",
                      absl::StrCat("value ", i, ": got ", row[i], ", want a finite number"));
    }
  }
  return row;
}

}  // namespace hydra::rpc
