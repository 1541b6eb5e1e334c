// The files of assets/ and the plot library, held in the program.
#pragma once

#include "absl/strings/string_view.h"

namespace hydra::report {

struct EmbeddedAssets {
  absl::string_view vega;
  absl::string_view vega_lite;
  absl::string_view vega_embed;
  absl::string_view script;  // report.js
  absl::string_view style;   // report.css
  absl::string_view licenses;
};

// Valid for the life of the program.
EmbeddedAssets GetEmbeddedAssets();

}  // namespace hydra::report
