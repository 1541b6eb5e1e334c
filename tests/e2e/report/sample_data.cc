#include "tests/e2e/report/sample_data.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "model/base/rng.h"
#include "model/base/sha256.h"
#include "model/calibration/conformal_quantile.h"
#include "model/calibration/declared_cuts.h"
#include "model/calibration/temperature.h"
#include "model/interpret/png_encode.h"
#include "model/metrics/detection.h"
#include "model/metrics/probability.h"
#include "model/report/score_histogram.h"
#include "model/uncertainty/answer.h"

namespace hydra::report {
namespace {

using uncertainty::Answer;
using uncertainty::EnsembleShape;
using uncertainty::Score;

constexpr size_t kMembers = 3;
constexpr size_t kClasses = 10;
constexpr char kMarkup[] = "</script><script>document.title='owned'</script><img src=x>";

struct Rows {
  std::vector<float> logits;
  std::vector<size_t> labels;
  EnsembleShape shape;
};

// `familiarity` scales the evidence for the label; members see it with noise of their own.
Rows DrawRows(size_t n, double familiarity, double member_noise, base::Rng& rng) {
  Rows rows{.labels = {}, .shape = EnsembleShape::Create(kMembers, n, kClasses).value()};
  rows.logits.resize(rows.shape.size());
  for (size_t b = 0; b < n; ++b) {
    rows.labels.push_back(static_cast<size_t>(rng.UniformBelow(kClasses)));
    std::vector<double> evidence(kClasses);
    for (double& z : evidence) z = 1.2 * rng.Normal();
    evidence[rows.labels.back()] += familiarity * (0.6 + 1.4 * rng.Uniform());
    for (size_t m = 0; m < kMembers; ++m) {
      for (size_t c = 0; c < kClasses; ++c) {
        rows.logits[rows.shape.RowOffset(m, b) + c] =
            static_cast<float>(1.8 * (evidence[c] + member_noise * rng.Normal()));
      }
    }
  }
  return rows;
}

std::vector<Answer> AnswersOf(const Rows& rows, double temperature) {
  return uncertainty::AnswerRows(rows.logits, rows.shape, temperature).value();
}

std::vector<double> ScoresOf(absl::Span<const Answer> answers, Score score) {
  std::vector<double> scores;
  for (const Answer& answer : answers) scores.push_back(*uncertainty::ScoreOf(answer, score));
  return scores;
}

std::string NameOf(Score score) { return std::string(uncertainty::ScoreName(score)); }

ReliabilityPanel PanelOf(absl::Span<const Answer> answers, absl::Span<const size_t> labels) {
  std::vector<metrics::ConfidentRow> rows;
  for (size_t i = 0; i < answers.size(); ++i) {
    rows.push_back({.confidence = answers[i].split.confidence,
                    .correct = answers[i].split.predicted_class == labels[i]});
  }
  ReliabilityPanel panel{.bins = metrics::EqualWidthBins(rows).value()};
  panel.ece = metrics::ExpectedCalibrationError(panel.bins);
  return panel;
}

void AddSelective(absl::Span<const Answer> answers, const Rows& rows, ReportData& data) {
  for (const Score score : {Score::kOneMinusConfidence, Score::kTotalEntropy,
                            Score::kMutualInformation, Score::kEnergy}) {
    const auto scored = uncertainty::ScoreRows(answers, rows.labels, score).value();
    const auto curve = metrics::RiskCoverageCurve(scored).value();
    data.risk_coverage.push_back({.name = NameOf(score), .points = metrics::ThinCurve(curve, 200)});
  }
}

void AddDetection(absl::Span<const Answer> id, absl::Span<const Answer> near,
                  absl::Span<const Answer> far, ReportData& data) {
  data.detection.note = "In-distribution test rows against drawn unfamiliar rows.";
  data.detection.columns = {{"AUROC near", Better::kHigher, 3},
                            {"AUROC far", Better::kHigher, 3},
                            {"FPR95 far, OOD positive", Better::kLower, 3}};
  for (const Score score : {Score::kOneMinusConfidence, Score::kTotalEntropy,
                            Score::kMutualInformation, Score::kEnergy}) {
    const std::vector<ScoreGroup> groups = {{"test (in distribution)", ScoresOf(id, score)},
                                            {"near OOD", ScoresOf(near, score)},
                                            {"far OOD", ScoresOf(far, score)}};
    data.score_histograms.push_back(BinScores(NameOf(score), groups, 36).value());
    const auto to_near = metrics::MeasureDetection(groups[0].scores, groups[1].scores).value();
    const auto to_far = metrics::MeasureDetection(groups[0].scores, groups[2].scores).value();
    data.detection.rows.push_back({.name = NameOf(score),
                                   .values = {Measurement{to_near.auroc}, Measurement{to_far.auroc},
                                              Measurement{to_far.fpr95_ood_positive}},
                                   .highlighted = score == Score::kTotalEntropy});
  }
}

void AddCertificate(double temperature, base::Rng& rng, ReportData& data) {
  const Rows path = DrawRows(2000, 3.0, 0.5, rng);
  const Rows certify = DrawRows(2000, 3.0, 0.5, rng);
  const auto cuts =
      calibration::DeclareCuts(ScoresOf(AnswersOf(path, temperature), Score::kTotalEntropy), 25);
  const auto rows =
      uncertainty::ScoreRows(AnswersOf(certify, temperature), certify.labels, Score::kTotalEntropy);
  artifact::CertificateTable table{.dtype = "float32", .score = "total_entropy"};
  table.score_made = uncertainty::QualifiedScoreName(Score::kTotalEntropy, temperature, kMembers);
  table.n = certify.labels.size();
  table.population = absl::StrCat("rows drawn like the certify split ", kMarkup);
  table.cuts = calibration::CountCuts(*rows, *cuts).value();
  data.certificates.push_back(table);
  const Rows conformal = DrawRows(1000, 3.0, 0.5, rng);
  data.conformal.push_back({.quantile = calibration::CalibrateConformal(
                                            AnswersOf(conformal, temperature), conformal.labels,
                                            uncertainty::ConformalMethod::kLac, 0.1)
                                            .value(),
                            .coverage = 0.903,
                            .mean_set_size = 1.18});
}

artifact::HeadMap DrawHeadMap(base::Rng& rng) {
  artifact::HeadMap map{.layers = 6, .members = kMembers, .heads = 8};
  map.provenance = {.selection = "taylor", .seed = 7};
  for (size_t m = 0; m < kMembers; ++m) {
    artifact::HeadImportance importance{.method = "taylor", .member = m};
    for (size_t l = 0; l < map.layers; ++l) {
      std::vector<double> values(map.heads);
      for (double& value : values) value = std::exp(rng.Normal());
      importance.values.push_back(values);
    }
    map.importance.push_back(importance);
  }
  map.kept.assign(map.layers, std::vector<std::vector<size_t>>(kMembers));
  for (size_t l = 0; l < map.layers; ++l) {
    for (size_t m = 0; m < kMembers; ++m) {
      std::vector<size_t> order = rng.Permutation(map.heads);
      order.resize(5);
      std::sort(order.begin(), order.end());
      map.kept[l][m] = order;
    }
  }
  map.overlap = {{1.0, 0.52, 0.47}, {0.52, 1.0, 0.55}, {0.47, 0.55, 1.0}};
  return map;
}

void AddInterpretation(base::Rng& rng, artifact::HeadMap& map) {
  artifact::HeadEffects effects{.inputs = 256, .nll_nats = 0.42, .accuracy = 0.88};
  for (size_t l = 0; l < map.layers; ++l) {
    for (size_t h = 0; h < map.heads; ++h) {
      if (h == 0) {
        map.clusters.emplace_back();
        effects.nll_change_nats.emplace_back();
        effects.accuracy_change.emplace_back();
      }
      map.clusters[l].push_back(rng.UniformBelow(3));
      effects.nll_change_nats[l].push_back(0.02 * rng.Normal());
      effects.accuracy_change[l].push_back(-0.01 * rng.Uniform());
    }
  }
  map.effects = std::move(effects);
  map.clustering = artifact::HeadClustering{.representatives = {{0, 1}, {2, 3}, {5, 0}},
                                            .davies_bouldin = 1.5,
                                            .silhouette = 0.12,
                                            .inputs = 256,
                                            .affinity = "shifted"};
}

// Pictures of noise under hostile names.
HeadGallery DrawGallery(base::Rng& rng, const artifact::HeadMap& map) {
  const auto noise = [&rng] {
    interpret::PngImage image{.height = 28, .width = 28};
    for (size_t i = 0; i < 28 * 28 * 3; ++i) {
      image.rgb.push_back(static_cast<uint8_t>(rng.UniformBelow(256)));
    }
    return interpret::EncodePng(image).value();
  };
  HeadGallery gallery{.heads = map.clustering->representatives};
  for (const char* name : {"coat", kMarkup}) {
    gallery.rows.push_back({.name = name, .picture = noise(), .maps = {noise(), noise(), noise()}});
  }
  return gallery;
}

void AddTables(const metrics::ProbabilityMetrics& quality, double ece, ReportData& data) {
  data.baselines.note = "Test rows, mean \u00b1 standard deviation over three seeds.";
  data.baselines.columns = {{"Accuracy", Better::kHigher, 1, "%"},
                            {"NLL", Better::kLower, 3, "nats"},
                            {"Brier", Better::kLower, 3},
                            {"ECE", Better::kLower, 3}};
  const auto row = [&](const char* name, double worse) {
    return TableRow{
        .name = name,
        .values = {Measurement{100.0 * quality.accuracy - 40.0 * worse, 0.2},
                   Measurement{quality.nll + worse, 0.004},
                   Measurement{quality.brier + worse, 0.003}, Measurement{ece + worse / 2.0}}};
  };
  data.baselines.rows = {row("Hydra (Taylor), 3 members", 0.0),
                         row("Deep ensemble, 3 models", -0.01),
                         row("Random masks, 3 members", 0.03), row("Single model", 0.05)};
  data.baselines.rows.front().highlighted = true;
  data.cost.note = "One run on one machine; batch 32.";
  data.cost.columns = {{"c_plain", Better::kLower, 2, "\u00d7"},
                       {"c_trim", Better::kLower, 2, "\u00d7"},
                       {"MACs", Better::kLower, 1, "M"},
                       {"Weights", Better::kLower, 2, "MB"}};
  data.cost.rows = {
      {.name = "Hydra (Taylor), 3 members",
       .values = {Measurement{1.31}, Measurement{1.52}, Measurement{41.2}, Measurement{5.43}},
       .highlighted = true},
      {.name = "Deep ensemble, 3 models",
       .values = {Measurement{3.02}, std::nullopt, Measurement{93.6}, Measurement{9.81}}}};
}

}  // namespace

ReportData SampleData() {
  base::Rng rng(2026);
  const Rows fit = DrawRows(2000, 3.0, 0.5, rng);
  const Rows test = DrawRows(4000, 3.0, 0.5, rng);
  const auto temperature = calibration::FitTemperature(fit.logits, fit.shape, fit.labels).value();
  const std::vector<Answer> answers = AnswersOf(test, temperature.temperature);
  std::vector<float> mean;
  for (const Answer& answer : answers) {
    mean.insert(mean.end(), answer.mean_probs.begin(), answer.mean_probs.end());
  }
  const auto quality = metrics::MeasureProbabilities(mean, kClasses, test.labels).value();

  ReportData data{.model_name = absl::StrCat("sample-ensemble ", kMarkup)};
  data.summary = "Three drawn members over ten classes: a page to test the report with.";
  data.cautions = {absl::StrCat("The out-of-distribution rows are drawn, not data. ", kMarkup)};
  data.reliability = Reliability{.temperature = temperature.temperature,
                                 .before = PanelOf(AnswersOf(test, 1.0), test.labels),
                                 .after = PanelOf(answers, test.labels)};
  data.key_figures = {
      {"Accuracy", absl::StrCat(static_cast<int>(std::lround(100 * quality.accuracy)), " %"),
       "4 000 test rows"},
      {"ECE", absl::StrCat(std::round(1000 * data.reliability->after.ece) / 1000), "15 bins"},
      {"Cost", "1.31 \u00d7", "c_plain"}};
  AddTables(quality, data.reliability->after.ece, data);
  AddSelective(answers, test, data);
  AddDetection(answers, AnswersOf(DrawRows(1500, 1.0, 0.9, rng), temperature.temperature),
               AnswersOf(DrawRows(1500, 0.0, 1.2, rng), temperature.temperature), data);
  AddCertificate(temperature.temperature, rng, data);
  data.head_map = DrawHeadMap(rng);
  AddInterpretation(rng, *data.head_map);
  data.gallery = DrawGallery(rng, *data.head_map);
  for (const char* split : {"select", "fit", "path", "certify", "conformal"}) {
    data.splits[split] = {.n = 2000, .digest = base::Sha256Hex(split)};
  }
  data.ledger = {{"2026-01-05T10:00:00Z", absl::StrCat("evaluate --final ", kMarkup),
                  base::Sha256Hex("bundle")}};
  data.provenance = {{"base", "vit-tiny, 6 layers x 8 heads"},
                     {"recipe", absl::StrCat("seed: 7\nmembers: 3\n# \xff", kMarkup)}};
  return data;
}

}  // namespace hydra::report
