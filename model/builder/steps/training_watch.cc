#include "model/builder/steps/training_watch.h"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "model/nn/pass/forward.h"

namespace hydra::builder {
namespace {

constexpr size_t kEvaluationBatch = 500;

std::string Seconds(absl::Duration duration) {
  return absl::FormatDuration(absl::Trunc(duration, absl::Seconds(1)));
}

}  // namespace

HeldOutMeasure MeasureHeldOut(const nn::Network& network, const LabelledData& data) {
  const c10::AutoGradMode no_gradients(false);
  HeldOutMeasure sums;
  const size_t n = data.examples.size();
  const auto members = static_cast<int64_t>(network.members);
  for (size_t begin = 0; begin < n; begin += kEvaluationBatch) {
    std::vector<size_t> rows;
    for (size_t i = begin; i < std::min(n, begin + kEvaluationBatch); ++i) rows.push_back(i);
    const at::Tensor labels = train::GatherLabels(data.examples, rows).repeat({members});
    const at::Tensor logits =
        nn::Forward(network, train::Gather(data.examples, rows)).flatten(0, 1);
    sums.loss += at::cross_entropy_loss(logits, labels, {}, at::Reduction::Sum).item<double>();
    sums.accuracy += logits.argmax(1).eq(labels).sum().item<double>();
  }
  const double count = static_cast<double>(n * network.members);
  return {sums.loss / count, sums.accuracy / count};
}

void TrainingWatch::OnStep(const train::TrainProgress& progress) {
  if (steps_seen_ == 0) curve_.RewindTo(progress.step - 1);
  ++steps_seen_;
  ++steps_in_sum_;
  loss_sum_ += progress.loss;
  if (progress.step % options_.measure_every == 0 || progress.step == progress.steps) {
    Measure(progress);
  } else {
    console_.Progress(absl::StrFormat("%s  step %d/%d  loss %.4f", options_.what, progress.step,
                                      progress.steps, progress.loss),
                      progress.remaining);
  }
}

void TrainingWatch::Measure(const train::TrainProgress& progress) {
  const HeldOutMeasure held_out = MeasureHeldOut(network_, held_out_);
  const double loss = loss_sum_ / static_cast<double>(steps_in_sum_);
  status_.Update(
      curve_.Add({progress.step, loss, held_out.loss, held_out.accuracy, progress.learning_rate}));
  loss_sum_ = 0.0;
  steps_in_sum_ = 0;
  console_.Line(absl::StrFormat(
      "%s  step %d/%d  loss %.4f  select: loss %.4f  accuracy %.2f %%  elapsed %s  left %s",
      options_.what, progress.step, progress.steps, loss, held_out.loss, 100.0 * held_out.accuracy,
      Seconds(progress.elapsed), Seconds(progress.remaining)));
}

std::string CurvePath(const std::string& state_path) {
  return state_path.empty() ? "" : state_path + ".curve.json";
}

absl::Status RemoveState(const std::string& state_path) {
  for (const std::string& path : {state_path, CurvePath(state_path)}) {
    std::error_code error;
    if (!path.empty()) std::filesystem::remove(path, error);
    if (error) return absl::InternalError(absl::StrCat(path, ": cannot remove: ", error.message()));
  }
  return absl::OkStatus();
}

}  // namespace hydra::builder
