#include "model/report/embedded_assets.h"

#include <cstddef>

// The assembler copies the file's bytes: a generated C++ array of a megabyte takes the compiler a
// minute.  CMake names the folders.
#define HYDRA_EMBED(symbol, path)                                                        \
  __asm__(                                                                               \
      ".pushsection .rodata\n"                                                           \
      ".global hydra_asset_" #symbol                                                     \
      "_begin\n"                                                                         \
      ".global hydra_asset_" #symbol                                                     \
      "_end\n"                                                                           \
      "hydra_asset_" #symbol                                                             \
      "_begin:\n"                                                                        \
      ".incbin \"" path                                                                  \
      "\"\n"                                                                             \
      "hydra_asset_" #symbol                                                             \
      "_end:\n"                                                                          \
      ".byte 0\n"                                                                        \
      ".popsection\n");                                                                  \
  extern "C" const char hydra_asset_##symbol##_begin[];                                  \
  extern "C" const char hydra_asset_##symbol##_end[];                                    \
  namespace {                                                                            \
  absl::string_view View_##symbol() {                                                    \
    return absl::string_view(                                                            \
        hydra_asset_##symbol##_begin,                                                    \
        static_cast<size_t>(hydra_asset_##symbol##_end - hydra_asset_##symbol##_begin)); \
  }                                                                                      \
  }

HYDRA_EMBED(vega, HYDRA_REPORT_LIBRARY "/vega.min.js")
HYDRA_EMBED(vega_lite, HYDRA_REPORT_LIBRARY "/vega-lite.min.js")
HYDRA_EMBED(vega_embed, HYDRA_REPORT_LIBRARY "/vega-embed.min.js")
HYDRA_EMBED(script, HYDRA_REPORT_ASSETS "/report.js")
HYDRA_EMBED(style, HYDRA_REPORT_ASSETS "/report.css")
HYDRA_EMBED(licenses, HYDRA_REPORT_ASSETS "/third_party_licenses.txt")

namespace hydra::report {

EmbeddedAssets GetEmbeddedAssets() {
  return {.vega = View_vega(),
          .vega_lite = View_vega_lite(),
          .vega_embed = View_vega_embed(),
          .script = View_script(),
          .style = View_style(),
          .licenses = View_licenses()};
}

}  // namespace hydra::report
