#include "model/report/markup.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"

namespace hydra::report {

std::string EscapeHtml(absl::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char character : text) {
    switch (character) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default: {
        const unsigned char byte = static_cast<unsigned char>(character);
        const bool control =
            (byte < 0x20 && character != '\t' && character != '\n') || byte == 0x7f;
        if (control) {
          escaped += "\xef\xbf\xbd";
        } else {
          escaped += character;
        }
      }
    }
  }
  return escaped;
}

std::string EscapeJsonForScript(absl::string_view json) {
  return absl::StrReplaceAll(json, {{"<", "\\u003c"}, {">", "\\u003e"}, {"&", "\\u0026"}});
}

std::string FormatNumber(double value, int decimals) {
  return std::isfinite(value) ? absl::StrFormat("%.*f", decimals, value) : "\u2013";
}

std::string FormatPercent(double share, int decimals) {
  return absl::StrCat(FormatNumber(100.0 * share, decimals), "\u00a0%");
}

std::string ShortDigest(absl::string_view digest) {
  constexpr size_t kShown = 12;
  return absl::StrCat("<code title=\"", EscapeHtml(digest), "\">",
                      EscapeHtml(digest.substr(0, kShown)), digest.size() > kShown ? "\u2026" : "",
                      "</code>");
}

}  // namespace hydra::report
