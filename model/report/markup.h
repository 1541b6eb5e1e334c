// Text into HTML and into script data, and numbers into text.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace hydra::report {

// For element content and double-quoted attributes: & < > " ' become references, and control
// characters other than tab and line feed become U+FFFD.
std::string EscapeHtml(absl::string_view text);

// JSON text for a <script type="application/json">: < > & become \u escapes, so that nothing in it
// ends the element or starts a comment.  `json` is valid JSON.
std::string EscapeJsonForScript(absl::string_view json);

// "12.35"; a dash for a value that is not finite.
std::string FormatNumber(double value, int decimals);

// "61.3 %".
std::string FormatPercent(double share, int decimals);

// A digest shortened to what a person compares, with the whole of it as the tooltip.
std::string ShortDigest(absl::string_view digest);

}  // namespace hydra::report
