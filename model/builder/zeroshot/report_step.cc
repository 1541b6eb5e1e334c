#include "model/builder/zeroshot/report_step.h"

#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "model/base/sha256.h"
#include "model/base/status_macros.h"
#include "model/builder/evaluation/ledger.h"
#include "model/builder/files/step_directory.h"
#include "model/builder/networks/stored_network.h"
#include "model/builder/quality/measures.h"
#include "model/builder/source/final_data.h"
#include "model/builder/source/pool.h"
#include "model/builder/zeroshot/failure_table.h"
#include "model/builder/zeroshot/vilu.h"
#include "model/ensemble/bundle_weights.h"
#include "model/nn/catch_torch.h"
#include "model/nn/pass/forward.h"
#include "nlohmann/json.hpp"

namespace hydra::builder {
namespace {

using Json = nlohmann::ordered_json;
using uncertainty::Score;

constexpr size_t kBatch = 250;

// A zero-shot classifier taken apart.
struct Single {
  nn::Network encoder;  // ends in features of length 1
  at::Tensor texts;     // [C, E], rows of length 1
  double scale = 1.0;
};

absl::StatusOr<Single> TakeApart(const StoredNetwork& stored) {
  const artifact::Geometry& geometry = stored.network.geometry;
  if (geometry.projection_width == 0 || geometry.classes == 0 || stored.network.members != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("single: got a network of ", stored.network.members, " members, ",
                     geometry.classes, " classes and projection width ", geometry.projection_width,
                     ", want the output of prompts"));
  }
  Single single{.encoder = stored.network};
  const at::Tensor rows = stored.network.weights.classifier_weight[0];
  single.scale = rows[0].norm().item<double>();
  single.texts = rows / single.scale;
  single.encoder.geometry.classes = 0;
  single.encoder.weights.classifier_weight = at::Tensor();
  single.encoder.weights.classifier_bias = at::Tensor();
  return single;
}

// What the single network makes of some images.
struct Seen {
  ViluBatch batch;
  std::vector<uncertainty::Answer> at_scale, at_one;  // softmax(scale cosine), softmax(cosine)
};

std::vector<float> Floats(const at::Tensor& tensor) {
  const at::Tensor plain = tensor.contiguous();
  return {plain.data_ptr<float>(), plain.data_ptr<float>() + plain.numel()};
}

absl::StatusOr<Seen> See(const Single& single, const LabelledData& data) {
  return nn::CatchTorch("zero-shot features", [&]() -> absl::StatusOr<Seen> {
    const c10::AutoGradMode no_gradients(false);
    std::vector<size_t> rows(data.examples.size());
    std::iota(rows.begin(), rows.end(), size_t{0});
    std::vector<at::Tensor> features;
    for (size_t begin = 0; begin < rows.size(); begin += kBatch) {
      const auto part = absl::MakeConstSpan(rows).subspan(begin, kBatch);
      features.push_back(nn::Forward(single.encoder, train::Gather(data.examples, part))[0]);
    }
    Seen seen{.batch = {.images = at::cat(features), .texts = single.texts, .scale = single.scale}};
    const at::Tensor cosines = at::matmul(seen.batch.images, single.texts.t());
    seen.batch.predicted = cosines.argmax(1);
    Predictions predictions{.members = 1,
                            .rows = rows.size(),
                            .classes = static_cast<size_t>(single.texts.size(0)),
                            .logits = Floats(cosines)};
    HYDRA_ASSIGN_OR_RETURN(seen.at_one, Answers(predictions, 1.0));
    HYDRA_ASSIGN_OR_RETURN(seen.at_scale, Answers(predictions, 1.0 / single.scale));
    return seen;
  });
}

std::vector<double> Doubles(const at::Tensor& tensor) {
  const at::Tensor plain = tensor.to(at::kDouble).contiguous();
  return {plain.data_ptr<double>(), plain.data_ptr<double>() + plain.numel()};
}

std::vector<bool> Correct(const std::vector<uncertainty::Answer>& answers,
                          const std::vector<size_t>& labels) {
  std::vector<bool> correct;
  for (size_t i = 0; i < answers.size(); ++i)
    correct.push_back(answers[i].split.predicted_class == labels[i]);
  return correct;
}

std::vector<size_t> Labels(const LabelledData& data) {
  std::vector<size_t> rows(data.examples.size());
  std::iota(rows.begin(), rows.end(), size_t{0});
  return LabelsOf(data, rows);
}

// Collects scores of the same rows by name, in the order in which they first come.
class ScoreList {
 public:
  // `set` empty: the test set, with what is correct.
  void Add(const std::string& set, const std::string& name, std::vector<double> values,
           const std::vector<bool>& correct) {
    auto found = std::find_if(scores_.begin(), scores_.end(),
                              [&](const FailureScore& score) { return score.name == name; });
    if (found == scores_.end()) found = scores_.insert(scores_.end(), {.name = name});
    if (!set.empty()) {
      found->ood[set] = std::move(values);
      return;
    }
    found->id = std::move(values);
    found->correct = correct;
  }

  const std::vector<FailureScore>& scores() const { return scores_; }

 private:
  std::vector<FailureScore> scores_;
};

struct Systems {
  Single single;
  ViluModel vilu;
  StoredNetwork hydra;
};

absl::Status ScoreSet(const Systems& systems, const std::string& set, const LabelledData& data,
                      StepContext context, ScoreList& list) {
  std::vector<size_t> labels;
  if (set.empty()) labels = Labels(data);
  const auto correct = [&](const std::vector<uncertainty::Answer>& answers) {
    return set.empty() ? Correct(answers, labels) : std::vector<bool>();
  };
  HYDRA_ASSIGN_OR_RETURN(const Seen seen, See(systems.single, data));
  const auto add = [&](const std::string& name, const std::vector<uncertainty::Answer>& answers,
                       Score score) -> absl::Status {
    HYDRA_ASSIGN_OR_RETURN(std::vector<double> values, ScoreValues(answers, score));
    list.Add(set, name, std::move(values), correct(answers));
    return absl::OkStatus();
  };
  HYDRA_RETURN_IF_ERROR(add("MCM, T = 1", seen.at_one, Score::kOneMinusConfidence));
  HYDRA_RETURN_IF_ERROR(add("MCM, logit scale", seen.at_scale, Score::kOneMinusConfidence));
  HYDRA_RETURN_IF_ERROR(add("entropy", seen.at_scale, Score::kTotalEntropy));
  HYDRA_RETURN_IF_ERROR(add("DOCTOR", seen.at_scale, Score::kDoctor));
  list.Add(set, "ViLU", Doubles(ViluLogits(systems.vilu, seen.batch)), correct(seen.at_scale));
  HYDRA_ASSIGN_OR_RETURN(const Predictions predictions,
                         Predict(systems.hydra.network, data, {.threads = context.threads}));
  HYDRA_ASSIGN_OR_RETURN(const auto answers, Answers(predictions, 1.0));
  for (const Score score : {Score::kOneMinusConfidence, Score::kTotalEntropy, Score::kDoctor,
                            Score::kMutualInformation}) {
    if (predictions.members == 1 && uncertainty::ComparesMembers(score)) continue;
    HYDRA_RETURN_IF_ERROR(
        add(absl::StrCat("Hydra of ", predictions.members, ", ", uncertainty::ScoreName(score)),
            answers, score));
  }
  return absl::OkStatus();
}

absl::StatusOr<ViluModel> TrainOnPool(const DataOptions& data, const ZeroShotStepOptions& options,
                                      const StoredNetwork& stored, const Single& single,
                                      StepContext context) {
  HYDRA_ASSIGN_OR_RETURN(const Pool pool, LoadPool(data, stored.inputs, stored.labels));
  std::vector<size_t> rows = pool.Rows("train");
  if (options.vilu_images != 0 && rows.size() > options.vilu_images)
    rows.resize(options.vilu_images);
  const LabelledData train_data = SelectRows(pool.data, rows);
  HYDRA_ASSIGN_OR_RETURN(const Seen seen, See(single, train_data));
  const double accuracy =
      seen.batch.predicted.eq(train_data.examples.labels).to(at::kDouble).mean().item<double>();
  context.console.Line(absl::StrFormat("zeroshot  ViLU on %d images of train, accuracy there %.4f",
                                       rows.size(), accuracy));
  return TrainVilu(seen.batch, train_data.examples.labels,
                   {.steps = options.vilu_steps,
                    .batch = options.vilu_batch,
                    .lr = options.vilu_lr,
                    .frozen_steps = options.vilu_frozen_steps,
                    .seed = options.seed});
}

// Enters the look at the test set before any number of it is known.
absl::Status EnterLedger(const ZeroShotInputs& inputs, const StoredNetwork& hydra,
                         const FinalData& data, StepContext context) {
  if (inputs.ledger.empty()) {
    return absl::FailedPreconditionError("ledger: got none, want the file of final evaluations");
  }
  HYDRA_ASSIGN_OR_RETURN(const std::string weights, ensemble::EncodeWeights(hydra.network));
  return AppendToLedger(inputs.ledger, {.when = context.clock.WallNow(),
                                        .what = "zeroshot",
                                        .weights_digest = base::Sha256Hex(weights),
                                        .calibration_digest = "",
                                        .test_digest = SetDigest(data.id),
                                        .n = data.id.examples.size()});
}

Json Record(const ZeroShotStepOptions& options, const FinalData& data, double scale,
            const std::vector<FailureMeasures>& measures) {
  ZeroShotStepOptions copy = options;
  Json record = {{"step", "zeroshot"},
                 {"options", OptionsJson(Fields(copy))},
                 {"logit_scale", scale},
                 {"data", {{"n", data.id.examples.size()}, {"digest", SetDigest(data.id)}}}};
  for (const auto& [set, items] : data.ood) record["ood"][set] = {{"n", items.examples.size()}};
  record["scores"] = FailuresJson(measures);
  return record;
}

}  // namespace

std::vector<OptionField> Fields(ZeroShotStepOptions& options) {
  return {
      {"vilu_steps", &options.vilu_steps, "training steps of ViLU"},
      {"vilu_batch", &options.vilu_batch, "images of a step"},
      {"vilu_lr", &options.vilu_lr, "learning rate at first; it decays to 0"},
      {"vilu_frozen_steps", &options.vilu_frozen_steps,
       "steps at first in which ViLU's maps stay the identity"},
      {"vilu_images", &options.vilu_images, "images of train that ViLU sees; 0: all"},
      {"seed", &options.seed, "seed of ViLU's parameters and order"},
  };
}

absl::Status RunZeroShot(const DataOptions& data, const ZeroShotStepOptions& options,
                         const ZeroShotInputs& inputs, const std::string& out,
                         StepContext context) {
  at::set_num_threads(static_cast<int>(context.threads));
  HYDRA_ASSIGN_OR_RETURN(StepDirectory directory, StepDirectory::Create(out));
  HYDRA_ASSIGN_OR_RETURN(const StoredNetwork stored, ReadNetwork(inputs.single));
  Systems systems;
  HYDRA_ASSIGN_OR_RETURN(systems.single, TakeApart(stored));
  HYDRA_ASSIGN_OR_RETURN(systems.hydra, ReadNetwork(inputs.network));
  if (systems.hydra.labels != stored.labels) {
    return absl::InvalidArgumentError(
        absl::StrCat(inputs.network, ": labels differ from those of ", inputs.single));
  }
  HYDRA_ASSIGN_OR_RETURN(systems.vilu, TrainOnPool(data, options, stored, systems.single, context));
  HYDRA_ASSIGN_OR_RETURN(const FinalData final, LoadFinalData(data, stored.inputs, stored.labels));
  HYDRA_RETURN_IF_ERROR(EnterLedger(inputs, systems.hydra, final, context));
  ScoreList list;
  HYDRA_RETURN_IF_ERROR(ScoreSet(systems, "", final.id, context, list));
  for (const auto& [set, items] : final.ood)
    HYDRA_RETURN_IF_ERROR(ScoreSet(systems, set, items, context, list));
  std::vector<FailureMeasures> measures;
  for (const FailureScore& score : list.scores()) {
    HYDRA_ASSIGN_OR_RETURN(measures.emplace_back(), MeasureFailures(score));
  }
  for (const std::string& line : FailureTable(measures)) context.console.Line(line);
  HYDRA_RETURN_IF_ERROR(directory.Write(
      "zeroshot.json", Record(options, final, systems.single.scale, measures).dump(2) + "\n"));
  return directory.Commit();
}

}  // namespace hydra::builder
