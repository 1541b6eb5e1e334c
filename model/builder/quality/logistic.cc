#include "model/builder/quality/logistic.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"

namespace hydra::builder {
namespace {

constexpr int kMostSteps = 100;
constexpr double kPrecision = 1e-10;  // of the largest parameter's step

absl::Status CheckRows(absl::Span<const LogisticRow> rows, double ridge) {
  if (rows.empty()) return absl::InvalidArgumentError("logistic regression: got no row");
  if (!(ridge > 0.0))
    return absl::InvalidArgumentError(absl::StrCat("ridge: got ", ridge, ", want over 0"));
  const auto positive = std::count_if(rows.begin(), rows.end(), [](const auto& r) { return r.y; });
  if (positive == 0 || positive == static_cast<std::ptrdiff_t>(rows.size())) {
    return absl::InvalidArgumentError("logistic regression: got only one of two outcomes");
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    const bool finite = std::all_of(rows[i].x.begin(), rows[i].x.end(),
                                    [](double value) { return std::isfinite(value); });
    if (!finite || rows[i].x.size() != rows[0].x.size() || !(rows[i].weight > 0.0)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "logistic row ", i, ": got ", rows[i].x.size(), " values and weight ", rows[i].weight,
          ", want ", rows[0].x.size(), " finite ones and a weight over 0"));
    }
  }
  return absl::OkStatus();
}

// log(1 + exp(z)) without overflow.
double Softplus(double z) { return std::max(z, 0.0) + std::log1p(std::exp(-std::abs(z))); }

// Parameters are the weights, then the intercept.
struct Problem {
  absl::Span<const LogisticRow> rows;
  double ridge = 0.0;
  double total_weight = 0.0;
  size_t columns = 0;

  double LogOdds(const LogisticRow& row, const std::vector<double>& at) const {
    return std::inner_product(row.x.begin(), row.x.end(), at.begin(), at[columns]);
  }

  double Loss(const std::vector<double>& at) const {
    double loss = 0.0;
    for (const LogisticRow& row : rows) {
      const double z = LogOdds(row, at);
      loss += row.weight / total_weight * Softplus(row.y ? -z : z);
    }
    for (size_t j = 0; j < columns; ++j) loss += ridge / 2.0 * at[j] * at[j];
    return loss;
  }

  // Gradient, and the lower triangle of the Hessian row by row.
  void Derive(const std::vector<double>& at, std::vector<double>& gradient,
              std::vector<std::vector<double>>& hessian) const {
    gradient.assign(columns + 1, 0.0);
    hessian.assign(columns + 1, std::vector<double>(columns + 1, 0.0));
    for (const LogisticRow& row : rows) {
      const double p = 1.0 / (1.0 + std::exp(-LogOdds(row, at)));
      const double w = row.weight / total_weight;
      const auto x = [&](size_t j) { return j < columns ? row.x[j] : 1.0; };
      for (size_t j = 0; j <= columns; ++j) {
        gradient[j] += w * (p - (row.y ? 1.0 : 0.0)) * x(j);
        for (size_t k = 0; k <= j; ++k) hessian[j][k] += w * p * (1.0 - p) * x(j) * x(k);
      }
    }
    for (size_t j = 0; j < columns; ++j) {
      gradient[j] += ridge * at[j];
      hessian[j][j] += ridge;
    }
    hessian[columns][columns] += kPrecision;  // an intercept that the data saturate
  }
};

// Solves matrix * x = right by Cholesky's method; the matrix is positive definite.
std::vector<double> Solve(std::vector<std::vector<double>> matrix, std::vector<double> right) {
  const size_t n = right.size();
  for (size_t j = 0; j < n; ++j) {
    for (size_t k = 0; k < j; ++k) {
      for (size_t i = 0; i < k; ++i) matrix[j][k] -= matrix[j][i] * matrix[k][i];
      matrix[j][k] /= matrix[k][k];
      matrix[j][j] -= matrix[j][k] * matrix[j][k];
    }
    matrix[j][j] = std::sqrt(matrix[j][j]);
    for (size_t k = 0; k < j; ++k) right[j] -= matrix[j][k] * right[k];
    right[j] /= matrix[j][j];
  }
  for (size_t j = n; j-- > 0;) {
    for (size_t k = j + 1; k < n; ++k) right[j] -= matrix[k][j] * right[k];
    right[j] /= matrix[j][j];
  }
  return right;
}

double Largest(const std::vector<double>& values) {
  double largest = 0.0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

}  // namespace

double LogisticModel::LogOdds(absl::Span<const double> x) const {
  return std::inner_product(x.begin(), x.end(), weights.begin(), intercept);
}

absl::StatusOr<LogisticModel> FitLogistic(absl::Span<const LogisticRow> rows, double ridge) {
  HYDRA_RETURN_IF_ERROR(CheckRows(rows, ridge));
  Problem problem{.rows = rows, .ridge = ridge, .columns = rows[0].x.size()};
  for (const LogisticRow& row : rows) problem.total_weight += row.weight;
  std::vector<double> at(problem.columns + 1, 0.0), gradient;
  std::vector<std::vector<double>> hessian;
  double loss = problem.Loss(at);
  for (int step = 0; step < kMostSteps; ++step) {
    problem.Derive(at, gradient, hessian);
    std::vector<double> move = Solve(hessian, gradient);
    std::vector<double> next(at.size());
    double next_loss = 0.0;
    do {
      for (size_t j = 0; j < at.size(); ++j) next[j] = at[j] - move[j];
      next_loss = problem.Loss(next);
      for (double& value : move) value /= 2.0;
    } while (next_loss > loss && Largest(move) > kPrecision);
    if (next_loss > loss) break;  // at the precision of the loss
    at = next;
    loss = next_loss;
    if (2.0 * Largest(move) <= kPrecision * (1.0 + Largest(at))) break;
  }
  const double intercept = at.back();
  at.pop_back();
  return LogisticModel{.weights = std::move(at), .intercept = intercept};
}

}  // namespace hydra::builder
