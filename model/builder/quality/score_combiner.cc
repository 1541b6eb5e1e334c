#include "model/builder/quality/score_combiner.h"

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "model/builder/quality/measures.h"

namespace hydra::builder {
namespace {

using uncertainty::Answer;

constexpr double kRidge = 1e-3;
constexpr double kClamp = 8.0;       // standard deviations
constexpr double kProxyShare = 2.0;  // weight of all proxies against all held-out rows
constexpr double kSmallest = 1e-12;  // deviation of a score that does not vary

// [rows][scores]
absl::StatusOr<std::vector<std::vector<double>>> ScoreTable(
    absl::Span<const Answer> answers, absl::Span<const uncertainty::Score> scores) {
  std::vector<std::vector<double>> table(answers.size());
  for (const uncertainty::Score score : scores) {
    HYDRA_ASSIGN_OR_RETURN(const std::vector<double> values, ScoreValues(answers, score));
    for (size_t i = 0; i < values.size(); ++i) table[i].push_back(values[i]);
  }
  return table;
}

void Standardise(absl::Span<const double> means, absl::Span<const double> deviations,
                 std::vector<double>& row) {
  for (size_t j = 0; j < row.size(); ++j)
    row[j] = std::clamp((row[j] - means[j]) / deviations[j], -kClamp, kClamp);
}

bool Wrong(const Answer& answer, size_t label) { return answer.split.predicted_class != label; }

// Mean and deviation over the rows; a column that does not vary has deviation 1.
void MeasureColumn(const std::vector<std::vector<double>>& table, size_t column, double& mean,
                   double& deviation) {
  const double n = static_cast<double>(table.size());
  mean = 0.0;
  double squares = 0.0;
  for (const auto& row : table) mean += row[column] / n;
  for (const auto& row : table) squares += (row[column] - mean) * (row[column] - mean) / n;
  deviation = std::sqrt(squares) > kSmallest ? std::sqrt(squares) : 1.0;
}

}  // namespace

absl::StatusOr<ScoreCombiner> ScoreCombiner::Fit(absl::Span<const Answer> held_out,
                                                 absl::Span<const size_t> labels,
                                                 absl::Span<const Answer> proxies) {
  if (held_out.empty() || proxies.empty() || labels.size() != held_out.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "combiner: got ", held_out.size(), " held-out rows, ", labels.size(), " labels and ",
        proxies.size(), " proxies, want rows with labels, and proxies"));
  }
  ScoreCombiner combiner;
  combiner.scores_ = ScoresOf(held_out[0].member_probs.size() / held_out[0].mean_probs.size());
  HYDRA_ASSIGN_OR_RETURN(auto table, ScoreTable(held_out, combiner.scores_));
  HYDRA_ASSIGN_OR_RETURN(const auto proxy_table, ScoreTable(proxies, combiner.scores_));
  table.insert(table.end(), proxy_table.begin(), proxy_table.end());
  combiner.means_.resize(combiner.scores_.size());
  combiner.deviations_.resize(combiner.scores_.size());
  for (size_t j = 0; j < combiner.scores_.size(); ++j)
    MeasureColumn(table, j, combiner.means_[j], combiner.deviations_[j]);
  const double proxy_weight =
      kProxyShare * static_cast<double>(held_out.size()) / static_cast<double>(proxies.size());
  std::vector<LogisticRow> rows;
  for (size_t i = 0; i < table.size(); ++i) {
    const bool proxy = i >= held_out.size();
    Standardise(combiner.means_, combiner.deviations_, table[i]);
    rows.push_back({.x = std::move(table[i]),
                    .y = proxy || Wrong(held_out[i], labels[i]),
                    .weight = proxy ? proxy_weight : 1.0});
  }
  HYDRA_ASSIGN_OR_RETURN(combiner.model_, FitLogistic(rows, kRidge));
  return combiner;
}

absl::StatusOr<std::vector<double>> ScoreCombiner::Combine(absl::Span<const Answer> answers) const {
  HYDRA_ASSIGN_OR_RETURN(auto table, ScoreTable(answers, scores_));
  std::vector<double> combined;
  for (std::vector<double>& row : table) {
    Standardise(means_, deviations_, row);
    combined.push_back(model_.LogOdds(row));
  }
  return combined;
}

std::vector<ScoreCombiner::Column> ScoreCombiner::columns() const {
  std::vector<Column> columns;
  for (size_t j = 0; j < scores_.size(); ++j) {
    columns.push_back({.score = std::string(uncertainty::ScoreName(scores_[j])),
                       .mean = means_[j],
                       .deviation = deviations_[j],
                       .weight = model_.weights[j]});
  }
  return columns;
}

}  // namespace hydra::builder
