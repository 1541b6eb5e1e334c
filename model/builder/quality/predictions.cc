#include "model/builder/quality/predictions.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "model/preprocess/image.h"
#include "model/runtime/network_predictor.h"
#include "model/uncertainty/ensemble_shape.h"

namespace hydra::builder {
namespace {

// Puts [M, B, C] into [M, N, C] at row `begin`.
void PlaceRows(const std::vector<float>& part, size_t begin, size_t batch, Predictions& whole) {
  const size_t run = batch * whole.classes;
  for (size_t m = 0; m < whole.members; ++m) {
    std::copy_n(part.begin() + static_cast<std::ptrdiff_t>(m * run), run,
                whole.logits.begin() +
                    static_cast<std::ptrdiff_t>((m * whole.rows + begin) * whole.classes));
  }
}

std::vector<size_t> AllRows(size_t n) {
  std::vector<size_t> rows(n);
  std::iota(rows.begin(), rows.end(), size_t{0});
  return rows;
}

artifact::ImageSettings SettingsOf(const train::ExampleSet& images) {
  return {.height = static_cast<size_t>(images.pixels.size(2)),
          .width = static_cast<size_t>(images.pixels.size(3)),
          .channels = static_cast<size_t>(images.pixels.size(1)),
          .rescale_factor = images.rescale_factor,
          .mean = images.mean,
          .stddev = images.stddev};
}

}  // namespace

absl::StatusOr<std::vector<float>> InputRows(const LabelledData& data, size_t begin, size_t count) {
  const artifact::ImageSettings settings = SettingsOf(data.examples);
  const at::Tensor pixels = data.examples.pixels.contiguous();
  const size_t values = settings.channels * settings.height * settings.width;
  std::vector<float> inputs;
  inputs.reserve(count * values);
  for (size_t i = begin; i < begin + count; ++i) {
    HYDRA_ASSIGN_OR_RETURN(
        const std::vector<float> row,
        preprocess::NormalizePixels({pixels.data_ptr<uint8_t>() + i * values, values}, settings));
    inputs.insert(inputs.end(), row.begin(), row.end());
  }
  return inputs;
}

namespace {

absl::StatusOr<std::vector<float>> RunImages(runtime::Predictor& predictor,
                                             const LabelledData& data, size_t begin, size_t count) {
  HYDRA_ASSIGN_OR_RETURN(const std::vector<float> inputs, InputRows(data, begin, count));
  return predictor.Run(inputs, count);
}

absl::StatusOr<std::vector<float>> RunTexts(runtime::Predictor& predictor, const LabelledData& data,
                                            size_t begin, size_t count) {
  std::vector<int64_t> ids;
  std::vector<size_t> lengths;
  for (size_t i = begin; i < begin + count; ++i) {
    const std::vector<int64_t>& text = data.examples.tokens[i];
    ids.insert(ids.end(), text.begin(), text.end());
    lengths.push_back(text.size());
  }
  return predictor.RunTexts(ids, lengths);
}

}  // namespace

namespace {

absl::StatusOr<Predictions> PredictSome(runtime::Predictor& predictor, const LabelledData& data,
                                        size_t batch, absl::FunctionRef<bool(size_t)> wanted) {
  const runtime::PredictorShape& shape = predictor.shape();
  Predictions result{
      .members = shape.members, .rows = data.examples.size(), .classes = shape.classes};
  result.logits.resize(result.members * result.rows * result.classes);
  for (size_t begin = 0; begin < result.rows; begin += batch) {
    if (!wanted(begin / batch)) continue;
    const size_t count = std::min(batch, result.rows - begin);
    HYDRA_ASSIGN_OR_RETURN(const std::vector<float> part,
                           data.examples.texts() ? RunTexts(predictor, data, begin, count)
                                                 : RunImages(predictor, data, begin, count));
    PlaceRows(part, begin, count, result);
  }
  if (data.labelled()) result.labels = LabelsOf(data, AllRows(result.rows));
  return result;
}

}  // namespace

absl::StatusOr<Predictions> Predict(runtime::Predictor& predictor, const LabelledData& data,
                                    size_t batch) {
  return PredictSome(predictor, data, batch, [](size_t) { return true; });
}

absl::StatusOr<Predictions> PredictBlocks(runtime::Predictor& predictor, const LabelledData& data,
                                          absl::FunctionRef<bool(size_t)> wanted) {
  return PredictSome(predictor, data, kBlockRows, wanted);
}

absl::StatusOr<Predictions> Predict(const nn::Network& network, const LabelledData& data,
                                    runtime::PredictorOptions options) {
  HYDRA_ASSIGN_OR_RETURN(const std::unique_ptr<runtime::Predictor> predictor,
                         runtime::MakePredictor(network, options));
  return Predict(*predictor, data, kBlockRows);
}

absl::StatusOr<Predictions> StackMembers(absl::Span<const Predictions> parts) {
  if (parts.empty()) return absl::InvalidArgumentError("members: got none, want at least 1");
  Predictions whole{.rows = parts[0].rows, .classes = parts[0].classes, .labels = parts[0].labels};
  for (const Predictions& part : parts) {
    if (part.rows != whole.rows || part.classes != whole.classes) {
      return absl::InvalidArgumentError(absl::StrCat("members: got predictions of ", part.rows,
                                                     " rows and ", part.classes, " classes, want ",
                                                     whole.rows, " and ", whole.classes));
    }
    whole.members += part.members;
    whole.logits.insert(whole.logits.end(), part.logits.begin(), part.logits.end());
  }
  return whole;
}

Predictions MemberOf(const Predictions& predictions, size_t member) {
  const size_t run = predictions.rows * predictions.classes;
  const auto begin = predictions.logits.begin() + static_cast<std::ptrdiff_t>(member * run);
  return {.members = 1,
          .rows = predictions.rows,
          .classes = predictions.classes,
          .logits = std::vector<float>(begin, begin + static_cast<std::ptrdiff_t>(run)),
          .labels = predictions.labels};
}

absl::StatusOr<std::vector<uncertainty::Answer>> Answers(const Predictions& predictions,
                                                         double temperature) {
  HYDRA_ASSIGN_OR_RETURN(const uncertainty::EnsembleShape shape,
                         uncertainty::EnsembleShape::Create(predictions.members, predictions.rows,
                                                            predictions.classes));
  return uncertainty::AnswerRows(predictions.logits, shape, temperature);
}

}  // namespace hydra::builder
