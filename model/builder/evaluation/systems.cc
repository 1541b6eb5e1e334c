#include "model/builder/evaluation/systems.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "model/artifact/tensor_file.h"
#include "model/base/status_macros.h"
#include "model/calibration/temperature.h"
#include "model/data/corruption.h"
#include "model/runtime/network_predictor.h"
#include "model/uncertainty/ensemble_shape.h"

namespace hydra::builder {
namespace {

constexpr size_t kMaxPredictionBytes = size_t{8} << 30;
constexpr char kLogitsSuffix[] = ".logits";

using Parts = std::vector<std::unique_ptr<runtime::Predictor>>;

size_t BlockCount(size_t rows) { return (rows + kBlockRows - 1) / kBlockRows; }

size_t BlocksOf(const EvaluationData& data) {
  size_t blocks = 0;
  for (const LabelledData* set : {&data.fit, &data.path, &data.proxies, &data.id})
    blocks += BlockCount(set->examples.size());
  for (const auto& [name, set] : data.ood) blocks += BlockCount(set.examples.size());
  if (data.shift_base.digests.empty()) return blocks;
  return blocks + BlockCount(data.shift_base.examples.size()) * data::kAllCorruptions.size() *
                      data::kSeverities;
}

// Deals blocks to shards and tells how far this one is.
class BlockDealer {
 public:
  // Each block is predicted by `parts` networks.
  BlockDealer(size_t blocks, size_t parts, Shard shard, StepContext context)
      : shard_(shard),
        context_(context),
        start_(context.clock.MonotonicNow()),
        total_(parts * (blocks / shard.of + (blocks % shard.of >= shard.index ? 1 : 0))) {}

  // Which of the next `count` blocks are this shard's.
  std::vector<size_t> Deal(size_t count) {
    std::vector<size_t> mine;
    for (size_t block = 0; block < count; ++block) {
      if (shard_.Owns(next_++)) mine.push_back(block);
    }
    return mine;
  }

  // One more block is about to be predicted.
  void Report(const std::string& what) {
    const absl::Duration elapsed = context_.clock.MonotonicNow() - start_;
    const double left = done_ == 0 ? 0.0 : static_cast<double>(total_ - done_);
    context_.console.Progress(
        absl::StrFormat("evaluate  %s  block %d/%d", what, done_ + 1, total_),
        done_ == 0 ? absl::ZeroDuration() : elapsed * (left / static_cast<double>(done_)));
    ++done_;
  }

 private:
  const Shard shard_;
  const StepContext context_;
  const absl::Time start_;
  const size_t total_;
  size_t next_ = 0;
  size_t done_ = 0;
};

absl::StatusOr<Predictions> PredictSet(const Parts& parts, const LabelledData& rows,
                                       const std::vector<size_t>& blocks,
                                       absl::FunctionRef<void()> report) {
  std::vector<Predictions> predicted;
  for (const auto& part : parts) {
    HYDRA_ASSIGN_OR_RETURN(predicted.emplace_back(), PredictBlocks(*part, rows, [&](size_t block) {
                             const bool mine =
                                 std::binary_search(blocks.begin(), blocks.end(), block);
                             if (mine) report();
                             return mine;
                           }));
  }
  return StackMembers(predicted);
}

absl::StatusOr<Predictions> Take(const std::string& set, SystemPredictions& predictions) {
  const auto found = predictions.sets.find(set);
  if (found == predictions.sets.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("predictions of ", predictions.name, ": got none on ", set));
  }
  return std::move(found->second);
}

absl::StatusOr<Predictions> LogitsOf(const artifact::TensorFile& file, const std::string& name) {
  HYDRA_ASSIGN_OR_RETURN(const artifact::TensorView view, file.Find(name));
  if (view.shape.size() != 3) {
    return absl::InvalidArgumentError(
        absl::StrCat(file.file(), ": ", name, ": got ", view.shape.size(), " dimensions, want 3"));
  }
  Predictions predictions{
      .members = view.shape[0], .rows = view.shape[1], .classes = view.shape[2]};
  HYDRA_ASSIGN_OR_RETURN(predictions.logits, artifact::ToFloats(view));
  return predictions;
}

absl::Status ReadFacts(const artifact::TensorFile& file, EvaluatedSystem& system) {
  const auto text = [&](const char* key) {
    const auto found = file.metadata().find(key);
    return found == file.metadata().end() ? std::string() : found->second;
  };
  if (absl::SimpleAtod(text("temperature"), &system.temperature) &&
      absl::SimpleAtoi(text("macs"), &system.cost.macs) &&
      absl::SimpleAtoi(text("parameters"), &system.cost.parameters) &&
      absl::SimpleAtoi(text("weight_bytes"), &system.cost.weight_bytes)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat(file.file(), ": metadata: want temperature, macs, parameters and weight_bytes"));
}

artifact::TensorEntry Entry(const Predictions& predictions) {
  return {.dtype = artifact::DType::kF32,
          .shape = {predictions.members, predictions.rows, predictions.classes},
          .bytes = artifact::BytesOf(predictions.logits)};
}

bool ReadAlike(const InputSettings& a, const InputSettings& b) {
  if (a.image.has_value() != b.image.has_value()) return false;
  if (!a.image.has_value()) {
    return a.tokenizer_json == b.tokenizer_json && a.text->max_tokens == b.text->max_tokens;
  }
  return a.image->height == b.image->height && a.image->width == b.image->width &&
         a.image->channels == b.image->channels && a.image->mean == b.image->mean &&
         a.image->stddev == b.image->stddev;
}

}  // namespace

absl::StatusOr<System> ReadSystem(const std::string& name,
                                  const std::vector<std::string>& directories,
                                  const StoredNetwork& like) {
  System system{.name = name};
  for (const std::string& directory : directories) {
    HYDRA_ASSIGN_OR_RETURN(StoredNetwork part, ReadNetwork(directory));
    if (part.labels == like.labels && ReadAlike(part.inputs, like.inputs)) {
      system.parts.push_back(std::move(part));
      continue;
    }
    return absl::InvalidArgumentError(
        absl::StrCat(directory, ": labels or input settings differ from the ensemble's"));
  }
  return system;
}

absl::StatusOr<SystemPredictions> PredictSystem(const System& system, const EvaluationData& data,
                                                Shard shard, StepContext context) {
  SystemPredictions predictions{.name = system.name};
  Parts parts;
  for (const StoredNetwork& part : system.parts) {
    predictions.cost += ensemble::CostOf(part.network, train::MeanTokens(data.id.examples));
    HYDRA_ASSIGN_OR_RETURN(parts.emplace_back(),
                           runtime::MakePredictor(part.network, {.threads = context.threads}));
  }
  BlockDealer dealer(BlocksOf(data), parts.size(), shard, context);
  HYDRA_RETURN_IF_ERROR(
      VisitSets(data, [&](const std::string& name, const LabelledData& rows) -> absl::Status {
        const std::vector<size_t>& blocks = predictions.blocks[name] =
            dealer.Deal(BlockCount(rows.examples.size()));
        const auto report = [&] { dealer.Report(absl::StrCat(system.name, " ", name)); };
        HYDRA_ASSIGN_OR_RETURN(predictions.sets[name], PredictSet(parts, rows, blocks, report));
        return absl::OkStatus();
      }));
  return predictions;
}

absl::StatusOr<EvaluatedSystem> FinishSystem(SystemPredictions predictions) {
  EvaluatedSystem system{.name = predictions.name, .cost = predictions.cost};
  HYDRA_ASSIGN_OR_RETURN(const Predictions fit, Take("fit", predictions));
  HYDRA_ASSIGN_OR_RETURN(const uncertainty::EnsembleShape shape,
                         uncertainty::EnsembleShape::Create(fit.members, fit.rows, fit.classes));
  HYDRA_ASSIGN_OR_RETURN(const calibration::TemperatureFit temperature,
                         calibration::FitTemperature(fit.logits, shape, fit.labels));
  system.temperature = temperature.temperature;
  HYDRA_ASSIGN_OR_RETURN(system.path, Take("path", predictions));
  HYDRA_ASSIGN_OR_RETURN(system.proxies, Take("proxies", predictions));
  HYDRA_ASSIGN_OR_RETURN(system.id, Take("id", predictions));
  for (auto& [name, set] : predictions.sets) {
    absl::string_view rest = name;
    if (absl::ConsumePrefix(&rest, kOodPrefix)) system.ood[std::string(rest)] = std::move(set);
    if (absl::ConsumePrefix(&rest, kShiftPrefix)) system.shifts[std::string(rest)] = std::move(set);
  }
  return system;
}

absl::StatusOr<std::string> EncodePredictions(const EvaluatedSystem& system) {
  std::map<std::string, artifact::TensorEntry> tensors = {{"id.logits", Entry(system.id)}};
  const std::vector<int64_t> labels(system.id.labels.begin(), system.id.labels.end());
  tensors["id.labels"] = {
      .dtype = artifact::DType::kI64, .shape = {labels.size()}, .bytes = artifact::BytesOf(labels)};
  for (const auto& [set, predictions] : system.ood)
    tensors[absl::StrCat(kOodPrefix, set, kLogitsSuffix)] = Entry(predictions);
  return artifact::EncodeTensors(tensors,
                                 {{"temperature", absl::StrFormat("%.17g", system.temperature)},
                                  {"macs", absl::StrCat(system.cost.macs)},
                                  {"parameters", absl::StrCat(system.cost.parameters)},
                                  {"weight_bytes", absl::StrCat(system.cost.weight_bytes)}});
}

absl::StatusOr<EvaluatedSystem> ReadPredictions(const std::string& path, const std::string& name) {
  HYDRA_ASSIGN_OR_RETURN(const artifact::TensorFile file,
                         artifact::TensorFile::Open(path, kMaxPredictionBytes));
  EvaluatedSystem system{.name = name};
  HYDRA_RETURN_IF_ERROR(ReadFacts(file, system));
  HYDRA_ASSIGN_OR_RETURN(system.id, LogitsOf(file, "id.logits"));
  HYDRA_ASSIGN_OR_RETURN(const std::vector<int64_t> labels,
                         file.Integers("id.labels", {system.id.rows}));
  system.id.labels.assign(labels.begin(), labels.end());
  for (const auto& [tensor, view] : file.tensors()) {
    absl::string_view set = tensor;
    if (!absl::ConsumePrefix(&set, kOodPrefix) || !absl::ConsumeSuffix(&set, kLogitsSuffix))
      continue;
    HYDRA_ASSIGN_OR_RETURN(system.ood[std::string(set)], LogitsOf(file, tensor));
  }
  return system;
}

}  // namespace hydra::builder
