// The tables of the page, as HTML with every text escaped.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "model/report/report_data.h"

namespace hydra::report {

// The best value of each column with a direction is marked; so is the report's subject.
std::string ComparisonHtml(const ComparisonTable& table);

std::string SplitsHtml(const std::map<std::string, artifact::Split>& splits);
std::string ConformalHtml(absl::Span<const ConformalSummary> conformal);
std::string LedgerHtml(absl::Span<const LedgerEntry> ledger);
std::string FactsHtml(absl::Span<const Fact> facts);
std::string KeyFiguresHtml(absl::Span<const KeyFigure> figures);

// Jaccard overlap of the kept heads, members x members.
std::string OverlapHtml(const std::vector<std::vector<double>>& overlap);

}  // namespace hydra::report
