#include "model/interpret/eigenspaces.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"

namespace hydra::interpret {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Index = Eigen::Index;

// Entries whose magnitudes differ by less are equal: opposite entries of a symmetric vector are.
constexpr double kTie = 1e-9;

absl::Status CheckMatrix(absl::Span<const double> matrix, size_t n, size_t count) {
  if (matrix.size() != n * n || count < 1 || count > n) {
    return absl::InvalidArgumentError(absl::StrCat("eigenvectors: got ", matrix.size(),
                                                   " values and a count of ", count, ", want ", n,
                                                   " x ", n, " values and a count of 1..", n));
  }
  const auto bad =
      std::find_if_not(matrix.begin(), matrix.end(), [](double v) { return std::isfinite(v); });
  if (bad == matrix.end()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("eigenvectors: value ", bad - matrix.begin(), " is ", *bad));
}

void FixSign(Eigen::VectorXd& vector) {
  const double largest = vector.cwiseAbs().maxCoeff();
  for (Index i = 0; i < vector.size(); ++i) {
    if (std::abs(vector[i]) < largest * (1.0 - kTie)) continue;
    if (vector[i] < 0.0) vector = -vector;
    return;
  }
}

// `space`: [n, g] with orthonormal columns -> [n, g], another basis of the same space.
Matrix CanonicalBasis(const Matrix& space) {
  const Index n = space.rows(), dimensions = space.cols();
  Matrix basis(n, dimensions);
  Index found = 0;
  for (Index axis = 0; axis < n && found < dimensions; ++axis) {
    Eigen::VectorXd remainder = space * space.row(axis).transpose();
    for (int pass = 0; pass < 2; ++pass) {  // twice is enough (Kahan, in Parlett 1980)
      const auto taken = basis.leftCols(found);
      remainder -= taken * (taken.transpose() * remainder);
    }
    // Over all axes the squared remainders sum to the dimensions that are left.
    const double average = static_cast<double>(dimensions - found) / static_cast<double>(n);
    if (remainder.squaredNorm() < 0.5 * average) continue;
    basis.col(found++) = remainder.normalized();
  }
  return basis;
}

// The first index behind the eigenspace that starts at `first`.
Index EndOfSpace(const Eigen::VectorXd& values, Index first) {
  Index end = first + 1;
  while (end < values.size() && values[end] - values[end - 1] < kDegenerateGap) ++end;
  return end;
}

}  // namespace

absl::StatusOr<Eigenpairs> SmallestEigenpairs(absl::Span<const double> matrix, size_t n,
                                              size_t count) {
  HYDRA_RETURN_IF_ERROR(CheckMatrix(matrix, n, count));
  const auto size = static_cast<Index>(n);
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(
      Eigen::Map<const Matrix>(matrix.data(), size, size));
  if (solver.info() != Eigen::Success) {
    return absl::InternalError("eigenvectors: the iteration did not converge");
  }
  const Eigen::VectorXd& values = solver.eigenvalues();
  Eigenpairs pairs{.values = {values.data(), values.data() + n}};
  for (Index first = 0; first < static_cast<Index>(count); first = EndOfSpace(values, first)) {
    const Index dimensions = EndOfSpace(values, first) - first;
    Matrix space = solver.eigenvectors().middleCols(first, dimensions);
    if (dimensions > 1) space = CanonicalBasis(space);
    for (Index i = 0; i < dimensions && pairs.vectors.size() < count; ++i) {
      Eigen::VectorXd vector = space.col(i);
      FixSign(vector);
      pairs.vectors.emplace_back(vector.data(), vector.data() + n);
      pairs.degenerate.push_back(dimensions > 1);
    }
  }
  return pairs;
}

}  // namespace hydra::interpret
