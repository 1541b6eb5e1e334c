#include "model/builder/recipe/pipeline.h"

#include <filesystem>
#include <map>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "model/base/file.h"
#include "model/base/sha256.h"
#include "model/base/status_macros.h"
#include "model/builder/recipe/publish.h"
#include "model/builder/recipe/step_cache.h"
#include "model/builder/source/data_digest.h"

namespace hydra::builder {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMaxWeightBytes = size_t{16} << 30;

template <typename Options>
Json OptionsOf(Options options) {
  return OptionsJson(Fields(options));
}

absl::StatusOr<std::string> DigestOf(const std::string& spec) {
  if (spec.empty()) return std::string();
  HYDRA_ASSIGN_OR_RETURN(const DataSpec parsed, ParseDataSpec(spec));
  return DigestData(parsed);
}

// What the pool and its splits are, without where they lie.
absl::StatusOr<Json> DescribePool(const DataOptions& data) {
  Json json = OptionsOf(data);
  for (const char* key : {"data", "test", "ood", "near_ood"}) json.erase(key);
  HYDRA_ASSIGN_OR_RETURN(json["digest"], DigestOf(data.data));
  return json;
}

absl::StatusOr<Json> DescribeTest(const DataOptions& data) {
  Json json;
  HYDRA_ASSIGN_OR_RETURN(json["test"], DigestOf(data.test));
  json["near_ood"] = data.near_ood;
  for (const std::string& text : data.ood) {
    HYDRA_ASSIGN_OR_RETURN(const auto named, ParseNamedDataSpec(text));
    HYDRA_ASSIGN_OR_RETURN(json["ood"][named.first], DigestData(named.second));
  }
  return json;
}

// sha256 over the files that importing a checkpoint may read.
absl::StatusOr<std::string> DigestCheckpoint(const std::string& directory) {
  std::map<std::string, std::string> digests;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string kind = entry->path().extension().string();
    if (kind != ".json" && kind != ".safetensors" && kind != ".txt") continue;
    HYDRA_ASSIGN_OR_RETURN(const std::string bytes,
                           base::ReadFile(entry->path().string(), kMaxWeightBytes));
    digests[entry->path().filename().string()] = base::Sha256Hex(bytes);
  }
  if (error)
    return absl::NotFoundError(absl::StrCat(directory, ": cannot list: ", error.message()));
  return base::Sha256Hex(Json(digests).dump());
}

class Pipeline {
 public:
  Pipeline(const Recipe& recipe, StepCache& cache, StepContext context)
      : recipe_(recipe), cache_(cache), context_(context) {}

  absl::StatusOr<StepOutput> Run() {
    HYDRA_ASSIGN_OR_RETURN(pool_, DescribePool(recipe_.data));
    HYDRA_ASSIGN_OR_RETURN(const StepOutput base, Base(BaseSeed()));
    Made made{.network = base};
    if (!recipe_.wrap) {
      HYDRA_ASSIGN_OR_RETURN(made, Ensemble(base, recipe_.score));
    }
    HYDRA_ASSIGN_OR_RETURN(const StepOutput calibration, Calibrate(made.network));
    HYDRA_ASSIGN_OR_RETURN(const StepOutput evaluation, Evaluate(base, made.network, calibration));
    if (recipe_.zeroshot.has_value()) HYDRA_RETURN_IF_ERROR(ZeroShot(base, made.network));
    HYDRA_ASSIGN_OR_RETURN(const StepOutput interpretation, Interpret(base));
    return Pack(made, {calibration, evaluation, interpretation});
  }

 private:
  struct Made {
    StepOutput network;
    StepOutput heads;  // empty path: all heads
  };

  // What is known about a network.
  struct Found {
    StepOutput calibration;
    StepOutput evaluation;
    StepOutput interpretation;  // empty path: not asked for
  };

  uint64_t BaseSeed() const {
    return recipe_.align.has_value() ? recipe_.align->image.seed : recipe_.train.seed;
  }

  absl::StatusOr<StepOutput> Base(uint64_t seed) {
    HYDRA_ASSIGN_OR_RETURN(const StepOutput checkpoint, BaseCheckpoint(seed));
    return recipe_.prompts.has_value() ? Prompted(checkpoint) : checkpoint;
  }

  absl::StatusOr<StepOutput> Prompted(const StepOutput& checkpoint) {
    HYDRA_ASSIGN_OR_RETURN(const std::vector<std::string> labels,
                           PromptLabels(recipe_.data, *recipe_.prompts));
    const Json key = {{"options", OptionsOf(*recipe_.prompts)},
                      {"labels", labels},
                      {"checkpoint", checkpoint.key}};
    return cache_.Run("prompts", key, [&](const std::string& out) {
      return RunPrompts(recipe_.data, *recipe_.prompts, checkpoint.path, out, context_);
    });
  }

  absl::StatusOr<StepOutput> Aligned(uint64_t seed) {
    AlignStepOptions options = *recipe_.align;
    options.image.seed = seed;
    Json key = {
        {"options", OptionsOf(options)}, {"prompts", OptionsOf(*recipe_.prompts)}, {"pool", pool_}};
    key["options"].erase("text");  // wherever it lies
    HYDRA_ASSIGN_OR_RETURN(key["text"], DigestCheckpoint(options.text));
    return cache_.Run("align", key, [&](const std::string& out) {
      return RunAlign(recipe_.data, options, *recipe_.prompts, out, context_);
    });
  }

  absl::StatusOr<StepOutput> BaseCheckpoint(uint64_t seed) {
    if (!recipe_.base.empty()) return Checkpoint(recipe_.base);
    if (recipe_.align.has_value()) return Aligned(seed);
    TrainStepOptions options = recipe_.train;
    options.seed = seed;
    Json key = {{"options", OptionsOf(options)}, {"pool", pool_}};
    if (!options.base.empty()) {
      key["options"].erase("base");  // wherever it lies
      HYDRA_ASSIGN_OR_RETURN(key["base"], DigestCheckpoint(options.base));
    }
    return cache_.Run("train", key, [&](const std::string& out) {
      return RunTrain(recipe_.data, options, out, out + ".state", context_);
    });
  }

  // A checkpoint from outside is known by its files.
  absl::StatusOr<StepOutput> Checkpoint(const std::string& path) {
    HYDRA_ASSIGN_OR_RETURN(const std::string digest, DigestCheckpoint(path));
    return StepOutput{path, digest};
  }

  // How many heads a method scores for is what `select` keeps, unless the recipe says otherwise.
  ScoreStepOptions FitToSelection(ScoreStepOptions score) const {
    const SelectStepOptions& select = recipe_.select;
    if (score.circuit.keep == 0 && score.circuit.keep_per_layer.empty()) {
      score.circuit.keep = select.keep;
      score.circuit.keep_per_layer = select.keep_per_layer;
      score.circuit.overlap_penalty = select.overlap_penalty;
    }
    if (score.saper.budget == 0) score.saper.budget = select.budget;
    return score;
  }

  absl::StatusOr<StepOutput> Score(const StepOutput& base, const ScoreStepOptions& options) {
    const ScoreStepOptions score = FitToSelection(options);
    Json key = {{"options", OptionsOf(score)}, {"pool", pool_}, {"base", base.key}};
    if (!score.saper.clusters.empty()) {
      HYDRA_ASSIGN_OR_RETURN(const std::string bytes,
                             base::ReadFile(score.saper.clusters, kMaxWeightBytes));
      key["options"]["saper_clusters"] = base::Sha256Hex(bytes);  // wherever it lies
    }
    return cache_.Run("score", key, [&](const std::string& out) {
      return RunScore(recipe_.data, score, base.path, out, context_);
    });
  }

  absl::StatusOr<Made> Ensemble(const StepOutput& base, const ScoreStepOptions& score) {
    HYDRA_ASSIGN_OR_RETURN(const StepOutput scores, Score(base, score));
    Made made;
    HYDRA_ASSIGN_OR_RETURN(
        const StepOutput selected,
        cache_.Run("select", {{"options", OptionsOf(recipe_.select)}, {"scores", scores.key}},
                   [&](const std::string& out) {
                     return RunSelect(recipe_.select, scores.path, out, context_);
                   }));
    const bool soft = score.method == "saper";  // members start from what the scores grew with
    const StepOutput start = soft ? StepOutput{scores.path + "/" + kSoftNetwork, scores.key} : base;
    HYDRA_ASSIGN_OR_RETURN(const StepOutput members, Finetune(start, selected, base));
    made.heads = members;
    HYDRA_ASSIGN_OR_RETURN(
        made.network,
        cache_.Run(
            "merge",
            {{"options", OptionsOf(recipe_.merge)}, {"pool", pool_}, {"members", members.key}},
            [&](const std::string& out) {
              return RunMerge(recipe_.data, recipe_.merge, members.path, out, context_);
            }));
    return made;
  }

  absl::StatusOr<StepOutput> Finetune(const StepOutput& start, const StepOutput& heads,
                                      const StepOutput& base) {
    Json key = {{"options", OptionsOf(recipe_.finetune)},
                {"pool", pool_},
                {"base", start.key},
                {"heads", heads.key},
                {"teacher", base.key}};
    FinetuneInputs inputs{.base = start.path, .heads = heads.path, .teacher = base.path};
    if (recipe_.finetune.ensemble_distillation > 0.0) {
      HYDRA_ASSIGN_OR_RETURN(const std::vector<StepOutput> teachers, DeepEnsemble(base));
      for (const StepOutput& teacher : teachers) {
        inputs.ensemble_teachers.push_back(teacher.path);
        key["ensemble_teachers"].push_back(teacher.key);
      }
    }
    return cache_.Run("finetune", key, [&](const std::string& out) {
      return RunFinetune(recipe_.data, recipe_.finetune, inputs, out, context_);
    });
  }

  absl::StatusOr<StepOutput> Calibrate(const StepOutput& network) {
    return cache_.Run(
        "calibrate",
        {{"options", OptionsOf(recipe_.calibrate)}, {"pool", pool_}, {"network", network.key}},
        [&](const std::string& out) {
          return RunCalibrate(recipe_.data, recipe_.calibrate, network.path, out, context_);
        });
  }

  absl::StatusOr<std::vector<StepOutput>> DeepEnsemble(const StepOutput& base) {
    std::vector<StepOutput> members;
    for (const size_t seed : recipe_.deep_ensemble_seeds) {
      HYDRA_ASSIGN_OR_RETURN(members.emplace_back(), Base(seed));
    }
    for (const std::string& path : recipe_.deep_ensemble) {
      HYDRA_ASSIGN_OR_RETURN(members.emplace_back(), Checkpoint(path));
      if (recipe_.prompts.has_value()) {
        HYDRA_ASSIGN_OR_RETURN(members.back(), Prompted(members.back()));
      }
    }
    if (!members.empty()) members.insert(members.begin(), base);
    return members;
  }

  // The baselines that the recipe asks for.
  absl::Status AddBaselines(const StepOutput& base, EvaluateInputs& inputs, Json& made_from) {
    if (!recipe_.wrap) {
      inputs.base = base.path;
      made_from["base"] = base.key;
    }
    HYDRA_ASSIGN_OR_RETURN(const std::vector<StepOutput> members, DeepEnsemble(base));
    for (const StepOutput& member : members) {
      inputs.deep_ensemble.push_back(member.path);
      made_from["deep_ensemble"].push_back(member.key);
    }
    if (!recipe_.random_masks) return absl::OkStatus();
    ScoreStepOptions random = recipe_.score;
    random.method = "random";
    HYDRA_ASSIGN_OR_RETURN(const Made control, Ensemble(base, random));
    inputs.random_masks = control.network.path;
    made_from["random_masks"] = control.network.key;
    return absl::OkStatus();
  }

  absl::StatusOr<StepOutput> Evaluate(const StepOutput& base, const StepOutput& network,
                                      const StepOutput& calibration) {
    EvaluateInputs inputs{.network = network.path,
                          .calibration = calibration.path,
                          .ledger = cache_.directory() + "/ledger.jsonl"};
    Json made_from = {{"options", OptionsOf(recipe_.evaluate)},
                      {"pool", pool_},
                      {"network", network.key},
                      {"calibration", calibration.key}};
    if (recipe_.evaluate.final) {
      HYDRA_ASSIGN_OR_RETURN(made_from["final"], DescribeTest(recipe_.data));
    }
    HYDRA_RETURN_IF_ERROR(AddBaselines(base, inputs, made_from));
    return cache_.Run("evaluate", made_from, [&](const std::string& out) {
      return RunEvaluate(recipe_.data, recipe_.evaluate, inputs, out, context_);
    });
  }

  absl::Status ZeroShot(const StepOutput& single, const StepOutput& network) {
    const ZeroShotInputs inputs{.single = single.path,
                                .network = network.path,
                                .ledger = cache_.directory() + "/ledger.jsonl"};
    Json made_from = {{"options", OptionsOf(*recipe_.zeroshot)},
                      {"pool", pool_},
                      {"single", single.key},
                      {"network", network.key}};
    HYDRA_ASSIGN_OR_RETURN(made_from["final"], DescribeTest(recipe_.data));
    return cache_
        .Run("zeroshot", made_from,
             [&](const std::string& out) {
               return RunZeroShot(recipe_.data, *recipe_.zeroshot, inputs, out, context_);
             })
        .status();
  }

  // An empty path when the recipe does not ask for it.
  absl::StatusOr<StepOutput> Interpret(const StepOutput& base) {
    if (!recipe_.interpret.has_value()) return StepOutput{};
    const Json made_from = {
        {"options", OptionsOf(*recipe_.interpret)}, {"pool", pool_}, {"base", base.key}};
    return cache_.Run("interpret", made_from, [&](const std::string& out) {
      return RunInterpret(recipe_.data, *recipe_.interpret, base.path, out, context_);
    });
  }

  absl::StatusOr<StepOutput> Pack(const Made& made, const Found& found) {
    const PackInputs inputs{.network = made.network.path,
                            .calibration = found.calibration.path,
                            .heads = made.heads.path,
                            .evaluation = found.evaluation.path,
                            .interpretation = found.interpretation.path,
                            .recipe = recipe_.text};
    const Json made_from = {{"options", OptionsOf(recipe_.pack)},
                            {"pool", pool_},
                            {"network", made.network.key},
                            {"heads", made.heads.key},
                            {"calibration", found.calibration.key},
                            {"evaluation", found.evaluation.key},
                            {"interpretation", found.interpretation.key},
                            {"recipe", recipe_.text}};
    return cache_.Run("pack", made_from, [&](const std::string& out) {
      return RunPack(recipe_.data, recipe_.pack, inputs, out, context_);
    });
  }

  const Recipe& recipe_;
  StepCache& cache_;
  const StepContext context_;
  Json pool_;
};

}  // namespace

absl::Status BuildBundle(const Recipe& recipe, const std::string& work, const std::string& out,
                         StepContext context) {
  HYDRA_ASSIGN_OR_RETURN(const std::unique_ptr<StepCache> cache, StepCache::Open(work, context));
  HYDRA_ASSIGN_OR_RETURN(const StepOutput packed, Pipeline(recipe, *cache, context).Run());
  HYDRA_RETURN_IF_ERROR(PublishDirectory(packed.path, out));
  context.console.Line(absl::StrCat("bundle ", out));
  return absl::OkStatus();
}

}  // namespace hydra::builder
