#include "model/metrics/smooth_calibration_error.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace hydra::metrics {
namespace {

// Constants of relplot.
constexpr double kMeshPoints = 200.0;
constexpr double kSmallestBandwidth = 0.001;
constexpr int kBisections = 10;
constexpr double kConfidenceClamp = 0.001;  // before taking log-odds
constexpr double kDensityFloor = 1e-4;
constexpr double kGridPoints = 2000.0;
constexpr double kKernelReach = 9.0;  // in standard deviations; exp(-40) beyond

double LogOdds(double p) { return std::log(p / (1.0 - p)); }

// A row in log-odds, scaled so that rows and mesh lie in [0, 1].
struct Point {
  double at = 0.0;
  double residual = 0.0;  // confidence - correctness
};

struct Scaled {
  std::vector<Point> points;
  std::vector<double> mesh;  // without the ends 0 and 1
  double scale = 0.0;        // of a bandwidth
};

Scaled Scale(absl::Span<const ConfidentRow> rows, size_t mesh_points) {
  Scaled scaled;
  for (size_t i = 1; i + 1 < mesh_points; ++i)
    scaled.mesh.push_back(LogOdds(static_cast<double>(i) / static_cast<double>(mesh_points - 1)));
  double low = scaled.mesh.front(), high = scaled.mesh.back();
  for (const ConfidentRow& row : rows) {
    const double p = std::clamp(row.confidence, kConfidenceClamp, 1.0 - kConfidenceClamp);
    scaled.points.push_back(
        {.at = LogOdds(p), .residual = row.confidence - (row.correct ? 1.0 : 0.0)});
    low = std::min(low, scaled.points.back().at);
    high = std::max(high, scaled.points.back().at);
  }
  const double span = high - low;
  for (Point& point : scaled.points) point.at = (point.at - low) / span;
  for (double& z : scaled.mesh) z = (z - low) / span;
  scaled.scale = 4.0 / span;
  return scaled;
}

// Values spread linearly over an odd number of grid points and smoothed by a Gaussian.
class Grid {
 public:
  explicit Grid(double sigma) : sigma_(sigma) {
    size_t points = static_cast<size_t>(std::max(kGridPoints, std::round(20.0 / sigma))) / 2;
    if (points % 2 == 0) ++points;
    values_.resize(points);
  }

  void Add(double at, double value) {
    const double scaled = at * Last();
    const size_t bin = Below(scaled);
    const double fraction = scaled - static_cast<double>(bin);
    values_[bin] += (1.0 - fraction) * value;
    values_[bin + 1] += fraction * value;
  }

  void Smooth() {
    const size_t half = values_.size() / 2;
    const size_t reach =
        std::min(half, static_cast<size_t>(std::ceil(kKernelReach * sigma_ * Last())));
    std::vector<double> kernel;
    for (size_t d = 0; d <= reach; ++d) {
      const double distance = static_cast<double>(d) / Last();
      kernel.push_back(std::exp(-distance * distance / (2.0 * sigma_ * sigma_)) /
                       (std::sqrt(2.0 * std::numbers::pi) * sigma_));
    }
    std::vector<double> smoothed(values_.size(), 0.0);
    for (size_t i = 0; i < values_.size(); ++i) {
      if (values_[i] == 0.0) continue;
      const size_t first = i > reach ? i - reach : 0;
      const size_t last = std::min(values_.size() - 1, i + reach);
      for (size_t j = first; j <= last; ++j)
        smoothed[j] += values_[i] * kernel[j > i ? j - i : i - j];
    }
    values_ = std::move(smoothed);
  }

  double At(double at) const {
    const double scaled = at * Last();
    const size_t bin = Below(scaled);
    const double fraction = scaled - static_cast<double>(bin);
    return values_[bin] * (1.0 - fraction) + values_[bin + 1] * fraction;
  }

 private:
  double Last() const { return static_cast<double>(values_.size() - 1); }
  size_t Below(double scaled) const {
    return std::min(static_cast<size_t>(std::max(0.0, scaled)), values_.size() - 2);
  }

  double sigma_;
  std::vector<double> values_;
};

double ErrorAt(absl::Span<const ConfidentRow> rows, double bandwidth) {
  const size_t mesh_points =
      static_cast<size_t>(std::max(kMeshPoints, std::floor(10.0 / bandwidth)));
  const Scaled scaled = Scale(rows, mesh_points);
  Grid residuals(bandwidth * scaled.scale), density(bandwidth * scaled.scale);
  for (const Point& point : scaled.points) {
    residuals.Add(point.at, point.residual);
    density.Add(point.at, 1.0);
  }
  residuals.Smooth();
  density.Smooth();
  double weighted = 0.0, total = 0.0;
  for (size_t i = 0; i < scaled.mesh.size(); ++i) {
    const double p = static_cast<double>(i + 1) / static_cast<double>(mesh_points - 1);
    const double dense = density.At(scaled.mesh[i]) + kDensityFloor;
    const double weight = dense / (p * (1.0 - p));  // density in p of a density in log-odds
    const double times = i == 0 || i + 1 == scaled.mesh.size() ? 2.0 : 1.0;  // for 0 and 1 too
    weighted += times * weight * std::abs(residuals.At(scaled.mesh[i]) / dense);
    total += times * weight;
  }
  return weighted / total;
}

}  // namespace

absl::StatusOr<SmoothCalibration> SmoothCalibrationError(absl::Span<const ConfidentRow> rows) {
  if (rows.empty()) return absl::InvalidArgumentError("smooth calibration: got no row");
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!(rows[i].confidence >= 0.0 && rows[i].confidence <= 1.0 + 1e-6)) {  // float32 sums
      return absl::InvalidArgumentError(
          absl::StrCat("confidence[", i, "]: got ", rows[i].confidence, ", want 0..1"));
    }
  }
  double high = 1.0, low = 0.0;
  for (int step = 0; step < kBisections && high >= kSmallestBandwidth; ++step) {
    const double middle = (low + high) / 2.0;
    const bool below = middle < kSmallestBandwidth || middle < ErrorAt(rows, middle);
    (below ? low : high) = middle;
  }
  return SmoothCalibration{.error = ErrorAt(rows, high), .bandwidth = high};
}

}  // namespace hydra::metrics
