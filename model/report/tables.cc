#include "model/report/tables.h"

#include <cmath>
#include <optional>

#include "absl/strings/str_cat.h"
#include "model/report/markup.h"

namespace hydra::report {
namespace {

std::string Wide(const std::string& table) {
  return absl::StrCat("<div class=\"wide\">", table, "</div>\n");
}

std::string HeadCell(absl::string_view text, absl::string_view css_class) {
  return absl::StrCat("<th scope=\"col\"", css_class.empty() ? "" : " class=\"", css_class,
                      css_class.empty() ? ">" : "\">", EscapeHtml(text), "</th>");
}

std::string Arrow(Better better) {
  switch (better) {
    case Better::kHigher:
      return " \u2191";
    case Better::kLower:
      return " \u2193";
    case Better::kNeither:
      return "";
  }
  return "";
}

// What the column's best value prints as, so that equals in print are marked alike.
std::string BestText(const ComparisonTable& table, size_t column) {
  const TableColumn& facts = table.columns[column];
  if (facts.better == Better::kNeither) return "";
  std::optional<double> best;
  for (const TableRow& row : table.rows) {
    const std::optional<Measurement>& value = row.values[column];
    if (!value.has_value() || !std::isfinite(value->mean)) continue;
    const bool is_better =
        !best.has_value() ||
        (facts.better == Better::kHigher ? value->mean > *best : value->mean < *best);
    if (is_better) best = value->mean;
  }
  return best.has_value() ? FormatNumber(*best, facts.decimals) : "";
}

std::string ValueCell(const std::optional<Measurement>& value, const TableColumn& column,
                      const std::string& best) {
  if (!value.has_value()) return "<td>\u2013</td>";
  const std::string text = FormatNumber(value->mean, column.decimals);
  std::string cell =
      absl::StrCat(!best.empty() && text == best ? "<td class=\"best\">" : "<td>", text);
  if (value->deviation.has_value()) {
    absl::StrAppend(&cell, "<span class=\"spread\"> \u00b1 ",
                    FormatNumber(*value->deviation, column.decimals), "</span>");
  }
  return cell + "</td>";
}

std::string OptionalPercent(std::optional<double> share) {
  return share.has_value() ? FormatPercent(*share, 1) : "\u2013";
}

}  // namespace

std::string ComparisonHtml(const ComparisonTable& table) {
  std::string html = "<table><thead><tr><th scope=\"col\"></th>";
  std::vector<std::string> best;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const TableColumn& column = table.columns[c];
    const std::string unit = column.unit.empty() ? "" : absl::StrCat(" (", column.unit, ")");
    absl::StrAppend(&html, HeadCell(absl::StrCat(column.name, unit, Arrow(column.better)), ""));
    best.push_back(table.rows.size() > 1 ? BestText(table, c) : "");
  }
  html += "</tr></thead><tbody>\n";
  for (const TableRow& row : table.rows) {
    absl::StrAppend(&html, row.highlighted ? "<tr class=\"subject\">" : "<tr>",
                    "<th scope=\"row\">", EscapeHtml(row.name), "</th>");
    for (size_t c = 0; c < table.columns.size(); ++c) {
      html += ValueCell(row.values[c], table.columns[c], best[c]);
    }
    html += "</tr>\n";
  }
  return Wide(html + "</tbody></table>");
}

std::string SplitsHtml(const std::map<std::string, artifact::Split>& splits) {
  std::string html =
      absl::StrCat("<table><thead><tr>", HeadCell("Split", "text"), HeadCell("Rows", ""),
                   HeadCell("Digest", ""), "</tr></thead><tbody>\n");
  for (const auto& [name, split] : splits) {
    absl::StrAppend(&html, "<tr><th scope=\"row\">", EscapeHtml(name), "</th><td>", split.n,
                    "</td><td>", ShortDigest(split.digest), "</td></tr>\n");
  }
  return Wide(html + "</tbody></table>");
}

std::string ConformalHtml(absl::Span<const ConformalSummary> conformal) {
  std::string html = absl::StrCat(
      "<table><thead><tr>", HeadCell("Method", "text"), HeadCell("Nominal coverage", ""),
      HeadCell("Quantile", ""), HeadCell("Calibration rows", ""), HeadCell("Measured coverage", ""),
      HeadCell("Coverage of answered rows", ""), HeadCell("Mean set size", ""),
      "</tr></thead><tbody>\n");
  for (const ConformalSummary& summary : conformal) {
    const artifact::ConformalQuantile& quantile = summary.quantile;
    absl::StrAppend(&html, "<tr><th scope=\"row\">", EscapeHtml(quantile.method), "</th><td>",
                    FormatPercent(1.0 - quantile.alpha, 1), "</td><td>",
                    FormatNumber(quantile.quantile, 4), "</td><td>", quantile.n, "</td><td>");
    absl::StrAppend(&html, OptionalPercent(summary.coverage), "</td><td>",
                    OptionalPercent(summary.coverage_accepted), "</td><td>",
                    summary.mean_set_size ? FormatNumber(*summary.mean_set_size, 2) : "\u2013",
                    "</td></tr>\n");
  }
  return Wide(html + "</tbody></table>");
}

std::string LedgerHtml(absl::Span<const LedgerEntry> ledger) {
  if (ledger.empty())
    return "<p>No final evaluation has been made: the test set is unopened.</p>\n";
  std::string html =
      absl::StrCat("<table><thead><tr>", HeadCell("When", "text"), HeadCell("What", "text"),
                   HeadCell("Bundle", ""), "</tr></thead><tbody>\n");
  for (const LedgerEntry& entry : ledger) {
    absl::StrAppend(&html, "<tr><td class=\"text\">", EscapeHtml(entry.when),
                    "</td><td class=\"text\">", EscapeHtml(entry.what), "</td><td>",
                    ShortDigest(entry.bundle_digest), "</td></tr>\n");
  }
  return Wide(html + "</tbody></table>");
}

std::string FactsHtml(absl::Span<const Fact> facts) {
  std::string html = "<dl class=\"facts\">\n";
  for (const Fact& fact : facts) {
    absl::StrAppend(&html, "<dt>", EscapeHtml(fact.name), "</dt><dd>", EscapeHtml(fact.value),
                    "</dd>\n");
  }
  return html + "</dl>\n";
}

std::string KeyFiguresHtml(absl::Span<const KeyFigure> figures) {
  std::string html = "<dl class=\"figures\">\n";
  for (const KeyFigure& figure : figures) {
    absl::StrAppend(&html, "<div><dt>", EscapeHtml(figure.name), "</dt><dd>",
                    EscapeHtml(figure.value), "</dd><dd>", EscapeHtml(figure.note),
                    "</dd></div>\n");
  }
  return html + "</dl>\n";
}

std::string OverlapHtml(const std::vector<std::vector<double>>& overlap) {
  std::string html = "<table class=\"overlap\"><thead><tr><th scope=\"col\"></th>";
  for (size_t m = 0; m < overlap.size(); ++m) {
    absl::StrAppend(&html, HeadCell(absl::StrCat("Member ", m), ""));
  }
  html += "</tr></thead><tbody>\n";
  for (size_t m = 0; m < overlap.size(); ++m) {
    absl::StrAppend(&html, "<tr><th scope=\"row\">Member ", m, "</th>");
    for (const double value : overlap[m]) {
      absl::StrAppend(&html, "<td>", FormatPercent(value, 0), "</td>");
    }
    html += "</tr>\n";
  }
  return Wide(html + "</tbody></table>");
}

}  // namespace hydra::report
