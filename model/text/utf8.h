// UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <optional>

#include "absl/strings/string_view.h"

namespace hydra::text {

// Offset of the first byte that does not belong to a whole valid character; unset for valid text.
std::optional<size_t> FirstInvalidUtf8Byte(absl::string_view text);

}  // namespace hydra::text
