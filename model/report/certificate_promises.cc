#include "model/report/certificate_promises.h"

#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "model/report/markup.h"
#include "model/uncertainty/certificate.h"

namespace hydra::report {
namespace {

constexpr double kTargets[] = {0.01, 0.02, 0.05, 0.10};

std::string TargetRow(double target, const uncertainty::CutSearch& search) {
  std::string html =
      absl::StrCat("<tr><th scope=\"row\">at most ", FormatPercent(target, 0), "</th>");
  if (!search.cut.has_value()) {
    const std::string needed =
        search.rows_needed.has_value()
            ? absl::StrCat("infeasible; about ", *search.rows_needed, " rows would do")
            : "infeasible: every cut's measured risk is higher";
    return absl::StrCat(html, "<td class=\"text\" colspan=\"4\">", needed, "</td></tr>\n");
  }
  absl::StrAppend(&html, "<td>", FormatPercent(search.cut->coverage, 1), "</td><td>",
                  FormatNumber(search.cut->threshold, 5), "</td><td>",
                  FormatPercent(search.cut->empirical_risk, 2), "</td><td>",
                  FormatPercent(search.cut->risk_bound, 2), "</td></tr>\n");
  return html;
}

}  // namespace

absl::StatusOr<std::string> CertificateHtml(const artifact::CertificateTable& table) {
  std::string html = absl::StrCat(
      "<h3>", EscapeHtml(table.score_made), ", ", EscapeHtml(table.dtype), "</h3>\n<p>Made on ",
      table.n, " rows, ", table.cuts.size(),
      " cuts declared beforehand. Speaks of: ", EscapeHtml(table.population), "</p>\n");
  absl::StrAppend(&html,
                  "<div class=\"wide\"><table><caption>Largest coverage for a risk target, "
                  "with confidence ",
                  FormatPercent(1.0 - table.delta, 0),
                  "</caption><thead><tr><th scope=\"col\">Selective risk</th><th "
                  "scope=\"col\">Coverage</th><th scope=\"col\">Threshold</th><th "
                  "scope=\"col\">Measured risk</th><th scope=\"col\">Risk "
                  "bound</th></tr></thead><tbody>\n");
  for (const double target : kTargets) {
    HYDRA_ASSIGN_OR_RETURN(const uncertainty::CutSearch search,
                           uncertainty::FindCutForRisk(table, target, table.delta));
    html += TargetRow(target, search);
  }
  return html + "</tbody></table></div>\n";
}

}  // namespace hydra::report
