#include "model/builder/evaluation/systems.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "model/artifact/tensor_file.h"
#include "model/base/status_macros.h"
#include "model/calibration/temperature.h"
#include "model/uncertainty/ensemble_shape.h"

namespace hydra::builder {
namespace {

constexpr size_t kMaxPredictionBytes = size_t{8} << 30;
constexpr char kOodPrefix[] = "ood.";
constexpr char kLogitsSuffix[] = ".logits";

absl::StatusOr<Predictions> PredictSystem(const System& system, const LabelledData& data,
                                          size_t threads) {
  std::vector<Predictions> parts;
  for (const StoredNetwork& part : system.parts) {
    HYDRA_ASSIGN_OR_RETURN(parts.emplace_back(), Predict(part.network, data, {.threads = threads}));
  }
  return StackMembers(parts);
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

absl::StatusOr<EvaluatedSystem> EvaluateSystem(const System& system, const EvaluationData& data,
                                               size_t threads) {
  EvaluatedSystem evaluated{.name = system.name};
  for (const StoredNetwork& part : system.parts)
    evaluated.cost += ensemble::CostOf(part.network, train::MeanTokens(data.id.examples));
  HYDRA_ASSIGN_OR_RETURN(const Predictions fit, PredictSystem(system, data.fit, threads));
  HYDRA_ASSIGN_OR_RETURN(const uncertainty::EnsembleShape shape,
                         uncertainty::EnsembleShape::Create(fit.members, fit.rows, fit.classes));
  HYDRA_ASSIGN_OR_RETURN(const calibration::TemperatureFit temperature,
                         calibration::FitTemperature(fit.logits, shape, fit.labels));
  evaluated.temperature = temperature.temperature;
  HYDRA_ASSIGN_OR_RETURN(evaluated.id, PredictSystem(system, data.id, threads));
  for (const auto& [set, images] : data.ood) {
    HYDRA_ASSIGN_OR_RETURN(evaluated.ood[set], PredictSystem(system, images, threads));
  }
  return evaluated;
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
