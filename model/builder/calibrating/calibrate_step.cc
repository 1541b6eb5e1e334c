#include "model/builder/calibrating/calibrate_step.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "model/artifact/codec/calibration_codec.h"
#include "model/base/status_macros.h"
#include "model/builder/calibrating/batch_tolerance.h"
#include "model/builder/calibrating/class_rules.h"
#include "model/builder/calibrating/default_score.h"
#include "model/builder/calibrating/split_items.h"
#include "model/builder/files/step_directory.h"
#include "model/builder/networks/stored_network.h"
#include "model/builder/quality/measures.h"
#include "model/builder/source/pool.h"
#include "model/builder/source/proxy_ood.h"
#include "model/calibration/conformal_quantile.h"
#include "model/calibration/declared_cuts.h"
#include "model/calibration/histogram.h"
#include "model/calibration/temperature.h"
#include "model/runtime/network_predictor.h"
#include "nlohmann/json.hpp"

namespace hydra::builder {
namespace {

using Json = nlohmann::ordered_json;
using uncertainty::Answer;

constexpr size_t kToleranceRows = 96;

// The parts that a calibration is made of; one network in one numerics.
struct Session {
  const CalibrateStepOptions& options;
  const Pool& pool;
  const StoredNetwork& stored;
  StepContext context;
  artifact::Calibration& calibration;
  Json& record;
};

absl::StatusOr<calibration::TemperatureFit> FitOn(const Predictions& fit) {
  HYDRA_ASSIGN_OR_RETURN(const uncertainty::EnsembleShape shape,
                         uncertainty::EnsembleShape::Create(fit.members, fit.rows, fit.classes));
  return calibration::FitTemperature(fit.logits, shape, fit.labels);
}

struct Answered {
  std::vector<Answer> answers;
  std::vector<size_t> labels;
};

absl::StatusOr<Answered> AnswerSplit(const Session& session, runtime::Predictor& predictor,
                                     const std::string& split) {
  const LabelledData data = session.pool.Select(split);
  HYDRA_ASSIGN_OR_RETURN(const Predictions predictions, Predict(predictor, data, 250));
  HYDRA_ASSIGN_OR_RETURN(std::vector<Answer> answers,
                         Answers(predictions, session.calibration.temperature));
  return Answered{std::move(answers), predictions.labels};
}

absl::StatusOr<artifact::CertificateTable> Certify(const Session& session, const Answered& path,
                                                   const Answered& certify,
                                                   uncertainty::Score score,
                                                   const std::string& dtype) {
  const artifact::Calibration& calibration = session.calibration;
  artifact::CertificateTable table{
      .dtype = dtype,
      .score = std::string(uncertainty::ScoreName(score)),
      .score_made = uncertainty::QualifiedScoreName(score, calibration.temperature,
                                                    session.stored.network.members),
      .n = certify.labels.size(),
      .delta = session.options.delta,
      .population = session.options.population};
  HYDRA_ASSIGN_OR_RETURN(const std::vector<double> path_scores, ScoreValues(path.answers, score));
  HYDRA_ASSIGN_OR_RETURN(const std::vector<double> cuts,
                         calibration::DeclareCuts(path_scores, session.options.cuts));
  HYDRA_ASSIGN_OR_RETURN(const std::vector<uncertainty::ScoredRow> rows,
                         uncertainty::ScoreRows(certify.answers, certify.labels, score));
  HYDRA_ASSIGN_OR_RETURN(table.cuts, calibration::CountCuts(rows, cuts));
  return table;
}

absl::Status AddConformal(const Session& session, const Answered& conformal,
                          const std::string& dtype) {
  for (const auto method :
       {uncertainty::ConformalMethod::kLac, uncertainty::ConformalMethod::kAps}) {
    for (const double alpha : session.options.alphas) {
      HYDRA_ASSIGN_OR_RETURN(
          artifact::ConformalQuantile quantile,
          calibration::CalibrateConformal(conformal.answers, conformal.labels, method, alpha));
      quantile.dtype = dtype;
      session.calibration.conformal.push_back(std::move(quantile));
    }
  }
  return absl::OkStatus();
}

// Certificates, conformal quantiles and batch tolerance of one numerics.
absl::Status CalibrateNumerics(const Session& session, runtime::Predictor& predictor,
                               const std::string& dtype) {
  HYDRA_ASSIGN_OR_RETURN(const Answered path, AnswerSplit(session, predictor, "path"));
  HYDRA_ASSIGN_OR_RETURN(const Answered certify, AnswerSplit(session, predictor, "certify"));
  for (const uncertainty::Score score : ScoresOf(session.stored.network.members)) {
    HYDRA_ASSIGN_OR_RETURN(session.calibration.certificates.emplace_back(),
                           Certify(session, path, certify, score, dtype));
  }
  HYDRA_ASSIGN_OR_RETURN(const Answered conformal, AnswerSplit(session, predictor, "conformal"));
  HYDRA_RETURN_IF_ERROR(AddConformal(session, conformal, dtype));
  const std::vector<size_t>& rows = session.pool.Rows("path");
  const LabelledData some =
      SelectRows(session.pool.data,
                 absl::MakeConstSpan(rows).subspan(0, std::min(kToleranceRows, rows.size())));
  HYDRA_ASSIGN_OR_RETURN(session.calibration.batch_tolerance[dtype],
                         MeasureBatchTolerance(predictor, some, session.calibration.temperature));
  session.context.console.Line(
      absl::StrFormat("calibrate  %s: %d scores certified on %d rows, batch tolerance %.2g", dtype,
                      ScoresOf(session.stored.network.members).size(), certify.labels.size(),
                      session.calibration.batch_tolerance[dtype]));
  return absl::OkStatus();
}

absl::Status SetTemperature(const Session& session, runtime::Predictor& predictor) {
  HYDRA_ASSIGN_OR_RETURN(const Predictions fit,
                         Predict(predictor, session.pool.Select("fit"), 250));
  HYDRA_ASSIGN_OR_RETURN(const calibration::TemperatureFit fitted, FitOn(fit));
  session.calibration.temperature = fitted.temperature;
  session.record["temperature"] = {{"value", fitted.temperature},
                                   {"nll_before", fitted.nll_before},
                                   {"nll_after", fitted.nll_after},
                                   {"at_bound", fitted.at_bound}};
  session.context.console.Line(
      absl::StrFormat("calibrate  temperature %.4f  NLL on fit %.4f -> %.4f", fitted.temperature,
                      fitted.nll_before, fitted.nll_after));
  return absl::OkStatus();
}

absl::Status SetHistograms(const Session& session, runtime::Predictor& predictor) {
  HYDRA_ASSIGN_OR_RETURN(const Answered certify, AnswerSplit(session, predictor, "certify"));
  for (const uncertainty::Score score : ScoresOf(session.stored.network.members)) {
    HYDRA_ASSIGN_OR_RETURN(const std::vector<double> values, ScoreValues(certify.answers, score));
    HYDRA_ASSIGN_OR_RETURN(
        session.calibration.reference_histograms[std::string(uncertainty::ScoreName(score))],
        calibration::QuantileHistogram(values, session.options.histogram_bins));
  }
  return absl::OkStatus();
}

absl::Status SetClassRules(const Session& session, runtime::Predictor& predictor) {
  if (session.options.class_risk == 0.0) return absl::OkStatus();
  ClassRuleTarget target{.risk = session.options.class_risk, .delta = session.options.delta};
  HYDRA_ASSIGN_OR_RETURN(target.score, uncertainty::ParseScore(session.calibration.default_score));
  HYDRA_ASSIGN_OR_RETURN(const Answered path, AnswerSplit(session, predictor, "path"));
  HYDRA_ASSIGN_OR_RETURN(const Answered certify, AnswerSplit(session, predictor, "certify"));
  HYDRA_ASSIGN_OR_RETURN(session.record["class_rules"],
                         DescribeClassRules(path.answers, certify.answers, certify.labels, target));
  return absl::OkStatus();
}

absl::Status SetDefaultScore(const Session& session, runtime::Predictor& predictor) {
  if (!session.options.default_score.empty()) {
    HYDRA_RETURN_IF_ERROR(uncertainty::ParseScore(session.options.default_score).status());
    session.calibration.default_score = session.options.default_score;
    session.record["default_score"] = {{"score", session.options.default_score},
                                       {"rule", "given by the recipe"}};
    return absl::OkStatus();
  }
  HYDRA_ASSIGN_OR_RETURN(const Answered path, AnswerSplit(session, predictor, "path"));
  const LabelledData proxies =
      MakeProxyOod(session.pool.Select("path"), session.stored.network.geometry.patch_size,
                   session.options.seed);
  HYDRA_ASSIGN_OR_RETURN(const Predictions predictions, Predict(predictor, proxies, 250));
  HYDRA_ASSIGN_OR_RETURN(const std::vector<Answer> proxy_answers,
                         Answers(predictions, session.calibration.temperature));
  HYDRA_ASSIGN_OR_RETURN(const ScoreRanking ranking,
                         RankScores(path.answers, path.labels, proxy_answers));
  session.calibration.default_score = ranking.best;
  session.record["default_score"] = {
      {"score", ranking.best},
      {"rule", "smallest AURC over the path split and as many proxies made from it"},
      {"aurc", ranking.aurc}};
  HYDRA_ASSIGN_OR_RETURN(const QuestionRankings questions,
                         RankByQuestion(path.answers, path.labels, proxy_answers));
  session.record["default_score"]["by_question"] = QuestionsJson(questions);
  session.context.console.Line(
      absl::StrFormat("calibrate  default score %s (AURC %.4f on path and proxies)", ranking.best,
                      ranking.aurc.at(ranking.best)));
  return absl::OkStatus();
}

absl::Status Calibrate(const Session& session) {
  const nn::Network& network = session.stored.network;
  for (const auto& [name, rows] : session.pool.splits)
    session.calibration.splits[name] = session.pool.Describe(name);
  HYDRA_ASSIGN_OR_RETURN(const auto predictor,
                         runtime::MakePredictor(network, {.threads = session.context.threads}));
  HYDRA_RETURN_IF_ERROR(SetTemperature(session, *predictor));
  HYDRA_RETURN_IF_ERROR(SetDefaultScore(session, *predictor));
  HYDRA_RETURN_IF_ERROR(SetHistograms(session, *predictor));
  HYDRA_RETURN_IF_ERROR(SetClassRules(session, *predictor));
  HYDRA_RETURN_IF_ERROR(CalibrateNumerics(session, *predictor, "float32"));
  session.record["bfloat16"] = "not asked for";
  if (!session.options.bf16) return absl::OkStatus();
  if (runtime::ResolveNumerics(runtime::Numerics::kBFloat16) != runtime::Numerics::kBFloat16) {
    session.record["bfloat16"] = "not certified: this CPU has no bfloat16 arithmetic";
    session.context.console.Line("calibrate  bfloat16: not certified, the CPU cannot compute it");
    return absl::OkStatus();
  }
  session.record["bfloat16"] = "certified";
  HYDRA_ASSIGN_OR_RETURN(
      const auto rounded,
      runtime::MakePredictor(
          network, {.threads = session.context.threads, .numerics = runtime::Numerics::kBFloat16}));
  return CalibrateNumerics(session, *rounded, "bfloat16");
}

}  // namespace

std::vector<OptionField> Fields(CalibrateStepOptions& options) {
  return {
      {"delta", &options.delta, "certificates hold with confidence 1 - delta"},
      {"cuts", &options.cuts, "declared cuts of each score"},
      {"alphas", &options.alphas, "wanted miscoverage of the conformal sets"},
      {"histogram_bins", &options.histogram_bins, "bins of the reference histograms"},
      {"class_risk", &options.class_risk, "target risk of rules per class; 0: none"},
      {"bf16", &options.bf16, "certify bfloat16 too"},
      {"default_score", &options.default_score, "empty: chosen on the path split and proxies"},
      {"population", &options.population, "which data the certificates speak of"},
      {"seed", &options.seed, "seed of the proxies"},
  };
}

absl::Status RunCalibrate(const DataOptions& data, const CalibrateStepOptions& options,
                          const std::string& network, const std::string& out, StepContext context) {
  at::set_num_threads(static_cast<int>(context.threads));
  HYDRA_ASSIGN_OR_RETURN(StepDirectory directory, StepDirectory::Create(out));
  HYDRA_ASSIGN_OR_RETURN(const StoredNetwork stored, ReadNetwork(network));
  HYDRA_ASSIGN_OR_RETURN(const Pool pool, LoadPool(data, stored.inputs, stored.labels));
  CalibrateStepOptions copy = options;
  Json record = {{"step", "calibrate"}, {"options", OptionsJson(Fields(copy))}};
  artifact::Calibration calibration;
  HYDRA_RETURN_IF_ERROR(Calibrate(Session{options, pool, stored, context, calibration, record}));
  HYDRA_ASSIGN_OR_RETURN(const std::string text, artifact::codec::EncodeCalibration(calibration));
  HYDRA_RETURN_IF_ERROR(directory.Write("calibration.json", text));
  HYDRA_RETURN_IF_ERROR(directory.Write("calibrate.json", record.dump(2) + "\n"));
  HYDRA_RETURN_IF_ERROR(directory.Write("splits.json", EncodeSplitItems(ItemsOf(pool))));
  return directory.Commit();
}

}  // namespace hydra::builder
