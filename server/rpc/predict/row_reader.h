// From one instance's bytes to one row of the network's input: decoding and tokenizing happen here,
// on the RPC threads.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/preprocess/image.h"
#include "model/runtime/rows.h"
#include "server/policy/served_bundle.h"

namespace hydra::rpc {

// What one request may hold.
struct RequestLimits {
  size_t max_instances = 0;
  preprocess::ImageLimits image;
  size_t max_text_bytes = 0;
};

// What the network reads of one instance.
struct InputRow {
  runtime::Rows row;            // one
  size_t truncated_tokens = 0;  // of a text: tokens that did not fit
};

// Instances one after the other.
struct InputRows {
  runtime::Rows rows;
  size_t count = 0;
  std::vector<size_t> truncated_tokens;  // [count], 0 for images

  void Add(const InputRow& input);
};

// Reads for one bundle, which outlives it.  Thread-safe.  Values of images are [C, H, W]
// row-major float32, finite.  Errors: INVALID_ARGUMENT, with a reason; of every function
// WRONG_INPUT_KIND, when the model takes the other kind of input.
class RowReader {
 public:
  RowReader(const policy::ServedBundle& bundle, const RequestLimits& limits)
      : bundle_(bundle), limits_(limits) {}

  bool takes_texts() const { return bundle_.tokenizer.has_value(); }

  // UTF-8, possibly empty; cut to the model's tokens.  Reasons: TEXT_TOO_LONG more than
  // max_text_bytes; BAD_TEXT not UTF-8, or the tokenizer cannot represent it.
  absl::StatusOr<InputRow> Text(absl::string_view utf8) const;

  // An encoded JPEG or PNG.  Reasons: BAD_IMAGE.
  absl::StatusOr<InputRow> Image(absl::string_view encoded) const;

  // One byte a value, not yet rescaled and normalised.  Reasons: WRONG_BYTE_COUNT.
  absl::StatusOr<InputRow> Pixels(absl::string_view bytes) const;

  // Little-endian float32, already normalised.  Reasons: WRONG_BYTE_COUNT, NON_FINITE_INPUT.
  absl::StatusOr<InputRow> Values(absl::string_view bytes) const;

  // Reasons: WRONG_SHAPE when `shape` is not [C, H, W] of the bundle.
  absl::Status CheckShape(const std::vector<int64_t>& shape) const;

  // [C, H, W].
  std::vector<int64_t> shape() const;

 private:
  size_t row_values() const;
  absl::Status CheckTakesImages() const;

  const policy::ServedBundle& bundle_;
  const RequestLimits limits_;
};

// "[1, 28, 28]".
std::string ShapeText(const std::vector<int64_t>& shape);

}  // namespace hydra::rpc
