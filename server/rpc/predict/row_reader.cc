#include "server/rpc/predict/row_reader.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

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

InputRow ImageRow(std::vector<float> values) {
  InputRow input;
  input.row.values = std::move(values);
  return input;
}

}  // namespace

std::string ShapeText(const std::vector<int64_t>& shape) {
  return absl::StrCat("[", absl::StrJoin(shape, ", "), "]");
}

void InputRows::Add(const InputRow& input) {
  runtime::Append(input.row, rows);
  truncated_tokens.push_back(input.truncated_tokens);
  ++count;
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
  HYDRA_RETURN_IF_ERROR(CheckTakesImages());
  if (shape == this->shape()) return absl::OkStatus();
  return BadInput("WRONG_SHAPE",
                  absl::StrCat("got ", ShapeText(shape), ", want ", ShapeText(this->shape())));
}

absl::Status RowReader::CheckTakesImages() const {
  if (bundle_.image_settings) return absl::OkStatus();
  return BadInput("WRONG_INPUT_KIND", "this model takes text, not images and tensors");
}

absl::StatusOr<InputRow> RowReader::Text(absl::string_view utf8) const {
  if (!takes_texts()) {
    return BadInput("WRONG_INPUT_KIND", "this model takes images and tensors, not text");
  }
  if (utf8.size() > limits_.max_text_bytes) {
    return BadInput("TEXT_TOO_LONG", absl::StrCat("got ", utf8.size(), " bytes, want at most ",
                                                  limits_.max_text_bytes));
  }
  absl::StatusOr<text::TokenizedText> tokens = bundle_.tokenizer->Encode(utf8);
  if (!tokens.ok()) return BadInput("BAD_TEXT", tokens.status().message());
  InputRow input;
  input.row.lengths.push_back(tokens->ids.size());
  input.row.token_ids = std::move(tokens->ids);
  input.truncated_tokens = tokens->truncated_tokens;
  return input;
}

absl::StatusOr<InputRow> RowReader::Image(absl::string_view encoded) const {
  HYDRA_RETURN_IF_ERROR(CheckTakesImages());
  absl::StatusOr<std::vector<float>> row =
      preprocess::PreprocessImage(encoded, *bundle_.image_settings, limits_.image);
  if (!row.ok()) return BadInput("BAD_IMAGE", row.status().message());
  return ImageRow(*std::move(row));
}

absl::StatusOr<InputRow> RowReader::Pixels(absl::string_view bytes) const {
  HYDRA_RETURN_IF_ERROR(CheckTakesImages());
  HYDRA_RETURN_IF_ERROR(CheckByteCount(bytes, row_values()));
  absl::StatusOr<std::vector<float>> row = preprocess::NormalizePixels(
      absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()),
      *bundle_.image_settings);
  HYDRA_RETURN_IF_ERROR(row.status());
  return ImageRow(*std::move(row));
}

absl::StatusOr<InputRow> RowReader::Values(absl::string_view bytes) const {
  HYDRA_RETURN_IF_ERROR(CheckTakesImages());
  HYDRA_RETURN_IF_ERROR(CheckByteCount(bytes, row_values() * sizeof(float)));
  std::vector<float> row(row_values());
  std::memcpy(row.data(), bytes.data(), bytes.size());
  for (size_t i = 0; i < row.size(); ++i) {
    if (!std::isfinite(row[i])) {
      return BadInput("NON_FINITE_INPUT",
                      absl::StrCat("value ", i, ": got ", row[i], ", want a finite number"));
    }
  }
  return ImageRow(std::move(row));
}

}  // namespace hydra::rpc
