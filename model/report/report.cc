#include "model/report/report.h"

#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "model/base/sha256.h"
#include "model/base/status_macros.h"
#include "model/report/check_report_data.h"
#include "model/report/embedded_assets.h"
#include "model/report/markup.h"
#include "model/report/plot_data.h"
#include "model/report/sections.h"
#include "model/report/tables.h"

namespace hydra::report {
namespace {

// A library's last line may name its source map, which a browser's debugger would look for.
absl::string_view WithoutSourceMap(absl::string_view script) {
  return script.substr(0, script.rfind("//# sourceMappingURL="));
}

std::vector<absl::string_view> Scripts() {
  const EmbeddedAssets assets = GetEmbeddedAssets();
  return {WithoutSourceMap(assets.vega), WithoutSourceMap(assets.vega_lite),
          WithoutSourceMap(assets.vega_embed), assets.script};
}

// Vega compiles its expressions with Function, hence 'unsafe-eval'; scripts run only if their hash
// is here, so markup that slipped through escaping could not run one.
std::string ContentPolicy(const std::vector<absl::string_view>& scripts) {
  std::string hashes;
  for (const absl::string_view script : scripts) {
    const std::string digest = absl::HexStringToBytes(base::Sha256Hex(script));
    absl::StrAppend(&hashes, "'sha256-", absl::Base64Escape(digest), "' ");
  }
  return absl::StrCat("default-src 'none'; script-src ", hashes,
                      "'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; base-uri "
                      "'none'; form-action 'none'");
}

std::string Head(const ReportData& data, const std::vector<absl::string_view>& scripts) {
  return absl::StrCat(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"",
      ContentPolicy(scripts),
      "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
      EscapeHtml(data.model_name), " \u2013 Hydra report</title>\n<style>\n",
      GetEmbeddedAssets().style, "</style>\n</head>\n<body>\n");
}

std::string Top(const ReportData& data, const std::vector<Section>& sections) {
  std::string html = absl::StrCat("<header>\n<p class=\"kind\">Hydra report</p>\n<h1>",
                                  EscapeHtml(data.model_name), "</h1>\n<p class=\"lead\">",
                                  EscapeHtml(data.summary), "</p>\n");
  for (const std::string& caution : data.cautions) {
    absl::StrAppend(&html, "<p class=\"caution\">", EscapeHtml(caution), "</p>\n");
  }
  if (!data.key_figures.empty()) html += KeyFiguresHtml(data.key_figures);
  const auto link = [](std::string* out, const Section& section) {
    absl::StrAppend(out, "<a href=\"#", section.anchor, "\">", section.title, "</a>");
  };
  return absl::StrCat(html, "<nav>", absl::StrJoin(sections, "\n", link),
                      "</nav>\n</header>\n<main>\n<noscript><p class=\"caution\">The plots need "
                      "scripts, which are switched off.</p></noscript>\n");
}

std::string Bottom(const std::string& plot_data, const std::vector<absl::string_view>& scripts) {
  std::string html = absl::StrCat(
      "</main>\n<footer>\n<p>Made by hydra-builder.</p>\n<details><summary>Licences of the plot "
      "library</summary><pre>",
      EscapeHtml(GetEmbeddedAssets().licenses), "</pre></details>\n</footer>\n",
      "<script type=\"application/json\" id=\"report-data\">", EscapeJsonForScript(plot_data),
      "</script>\n");
  for (const absl::string_view script : scripts) {
    absl::StrAppend(&html, "<script>", script, "</script>\n");
  }
  return html + "</body>\n</html>\n";
}

}  // namespace

absl::StatusOr<std::string> RenderReport(const ReportData& data) {
  HYDRA_RETURN_IF_ERROR(CheckReportData(data));
  HYDRA_ASSIGN_OR_RETURN(const std::string plot_data, PlotData(data));
  const std::vector<absl::string_view> scripts = Scripts();
  HYDRA_ASSIGN_OR_RETURN(const std::vector<Section> sections, RenderSections(data));
  std::string page = Head(data, scripts) + Top(data, sections);
  for (const Section& section : sections) {
    absl::StrAppend(&page, "<section id=\"", section.anchor, "\">\n<h2>", section.title, "</h2>\n",
                    section.html, "</section>\n");
  }
  return page + Bottom(plot_data, scripts);
}

}  // namespace hydra::report
