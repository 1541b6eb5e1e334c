#include "model/builder/steps/learning_curve.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "model/base/file.h"
#include "model/base/status_macros.h"
#include "nlohmann/json.hpp"

namespace hydra::builder {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMaxCurveBytes = size_t{64} << 20;

bool IsPoint(const Json& item) {
  for (const char* key :
       {"step", "train_loss", "held_out_loss", "held_out_accuracy", "learning_rate"}) {
    if (!item.is_object() || !item.contains(key) || !item[key].is_number()) return false;
  }
  return item["step"].is_number_unsigned();
}

CurvePoint PointOf(const Json& item) {
  return {.step = item["step"].get<size_t>(),
          .train_loss = item["train_loss"].get<double>(),
          .held_out_loss = item["held_out_loss"].get<double>(),
          .held_out_accuracy = item["held_out_accuracy"].get<double>(),
          .learning_rate = item["learning_rate"].get<double>()};
}

}  // namespace

absl::StatusOr<LearningCurve> LearningCurve::Open(std::string path) {
  LearningCurve curve(std::move(path));
  if (curve.path_.empty()) return curve;
  const absl::StatusOr<std::string> text = base::ReadFile(curve.path_, kMaxCurveBytes);
  if (absl::IsNotFound(text.status())) return curve;
  HYDRA_RETURN_IF_ERROR(text.status());
  const Json json = Json::parse(*text, nullptr, false);
  if (!json.is_array() || !std::all_of(json.begin(), json.end(), IsPoint)) {
    return absl::FailedPreconditionError(
        absl::StrCat(curve.path_, ": not a learning curve; remove it to start over"));
  }
  for (const Json& item : json) curve.points_.push_back(PointOf(item));
  return curve;
}

void LearningCurve::RewindTo(size_t step) {
  std::erase_if(points_, [&](const CurvePoint& point) { return point.step > step; });
}

absl::Status LearningCurve::Add(const CurvePoint& point) {
  points_.push_back(point);
  if (path_.empty()) return absl::OkStatus();
  return base::WriteFileAtomically(path_, ToJson().dump());
}

Json LearningCurve::ToJson() const {
  Json json = Json::array();
  for (const CurvePoint& point : points_) {
    json.push_back({{"step", point.step},
                    {"train_loss", point.train_loss},
                    {"held_out_loss", point.held_out_loss},
                    {"held_out_accuracy", point.held_out_accuracy},
                    {"learning_rate", point.learning_rate}});
  }
  return json;
}

}  // namespace hydra::builder
