#include "server/batching/batcher.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "server/batching/dispatcher.h"
#include "server/batching/lane.h"

namespace hydra::batching {
namespace {

absl::StatusOr<runtime::PredictorShape> CommonShape(
    const std::vector<std::unique_ptr<runtime::Predictor>>& predictors) {
  if (predictors.empty()) {
    return absl::InvalidArgumentError("predictors: got 0, want at least 1");
  }
  const runtime::PredictorShape& first = predictors.front()->shape();
  const bool takes_rows = first.takes_texts() ? first.max_tokens > 0 : first.row_values > 0;
  if (first.members == 0 || first.classes == 0 || !takes_rows) {
    return absl::InvalidArgumentError(absl::StrCat(
        "predictor: got ", first.members, " members, ", first.classes, " classes and ",
        first.takes_texts() ? first.max_tokens : first.row_values,
        first.takes_texts() ? " tokens" : " values", " a row, want at least 1 of each"));
  }
  for (const auto& predictor : predictors) {
    if (predictor->shape() != first) {
      return absl::InvalidArgumentError("predictors: got different shapes, want one");
    }
  }
  return first;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Batcher>> Batcher::Create(
    BatcherOptions options, std::vector<std::unique_ptr<runtime::Predictor>> predictors,
    CostModel cost, const base::Clock& clock, Observer& observer) {
  HYDRA_ASSIGN_OR_RETURN(const runtime::PredictorShape shape, CommonShape(predictors));
  HYDRA_ASSIGN_OR_RETURN(BatchFormer former, BatchFormer::Create(std::move(options.former)));
  auto dispatcher = std::make_unique<Dispatcher>(
      DispatcherOptions{.bounds = options.queue, .shape = shape, .lanes = predictors.size()},
      std::move(former), cost, clock, observer);
  std::vector<std::unique_ptr<Lane>> lanes;
  for (auto& predictor : predictors) {
    lanes.push_back(std::make_unique<Lane>(*dispatcher, std::move(predictor), clock, observer));
  }
  return std::unique_ptr<Batcher>(new Batcher(std::move(dispatcher), std::move(lanes), shape));
}

Batcher::Batcher(std::unique_ptr<Dispatcher> dispatcher, std::vector<std::unique_ptr<Lane>> lanes,
                 runtime::PredictorShape shape)
    : dispatcher_(std::move(dispatcher)), lanes_(std::move(lanes)), shape_(shape) {}

Batcher::~Batcher() { Stop(); }

absl::Status Batcher::Submit(Job job) { return dispatcher_->Submit(std::move(job)); }

void Batcher::Hasten() { dispatcher_->Hasten(); }

bool Batcher::Drain(absl::Time deadline) { return dispatcher_->Drain(deadline); }

void Batcher::Stop() {
  dispatcher_->Stop();
  std::call_once(joined_, [this] {
    for (const auto& lane : lanes_) lane->Join();
  });
}

const runtime::PredictorShape& Batcher::shape() const { return shape_; }

QueueDepth Batcher::depth() const { return dispatcher_->depth(); }

absl::Duration Batcher::OldestWait() const { return dispatcher_->OldestWait(); }

size_t Batcher::in_flight_rows() const { return dispatcher_->in_flight_rows(); }

std::vector<LaneHealth> Batcher::lanes() const {
  std::vector<LaneHealth> health;
  for (const auto& lane : lanes_) health.push_back({.last_beat = lane->last_beat()});
  return health;
}

}  // namespace hydra::batching
