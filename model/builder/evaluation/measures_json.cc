#include "model/builder/evaluation/system_measures.h"
#include "nlohmann/json.hpp"

namespace hydra::builder {
namespace {

using Json = nlohmann::ordered_json;

Json ComparisonJson(const metrics::MemberComparison& members) {
  return {{"mutual_information", members.mutual_information},
          {"disagreement", members.disagreement},
          {"variation_ratio", members.variation_ratio},
          {"pairwise_kl", members.pairwise_kl}};
}

Json NumberOrNull(const std::optional<double>& value) {
  return value.has_value() ? Json(*value) : Json(nullptr);
}

Json QualityJson(const Quality& quality) {
  Json json = {{"n", quality.probability.n},
               {"accuracy", quality.probability.accuracy},
               {"nll", quality.probability.nll},
               {"nll_clamped", quality.probability.nll_clamped},
               {"brier", quality.probability.brier},
               {"ece15", quality.ece},
               {"ece15_noise_floor", quality.ece_noise_floor},
               {"mce15", quality.mce},
               {"aece15", quality.aece},
               {"smooth_ece", quality.smooth_ece},
               {"member_accuracy", quality.member_accuracy}};
  json["members"] = quality.members.has_value() ? ComparisonJson(*quality.members) : Json(nullptr);
  for (const auto& [score, selective] : quality.selective) {
    const OperatingPoints& points = quality.operating.at(score);
    json["selective"][score] = {{"aurc", selective.aurc},
                                {"e_aurc", selective.e_aurc},
                                {"augrc", selective.augrc},
                                {"aurc_trapezoid", selective.aurc_trapezoid},
                                {"augrc_trapezoid", selective.augrc_trapezoid},
                                {"aurc_fd_shifts", selective.aurc_fd_shifts},
                                {"coverage_at_5_risk", NumberOrNull(points.coverage_at_5_risk)},
                                {"risk_at_80_coverage", NumberOrNull(points.risk_at_80_coverage)}};
  }
  for (const auto& [score, failure] : quality.failure) {
    json["failure"][score] = {{"auroc", failure.auroc},
                              {"aupr_error_positive", failure.aupr_ood_positive},
                              {"aupr_correct_positive", failure.aupr_id_positive},
                              {"fpr95_error_positive", failure.fpr95_ood_positive},
                              {"fpr95_correct_positive", failure.fpr95_id_positive}};
  }
  return json;
}

Json OodJson(const OodMeasures& ood) {
  Json json = Json::object();
  for (const auto& [score, detection] : ood.by_score) {
    json["by_score"][score] = {{"id", detection.id},
                               {"ood", detection.ood},
                               {"auroc", detection.auroc},
                               {"aupr_ood_positive", detection.aupr_ood_positive},
                               {"aupr_id_positive", detection.aupr_id_positive},
                               {"fpr95_ood_positive", detection.fpr95_ood_positive},
                               {"fpr95_id_positive", detection.fpr95_id_positive}};
  }
  json["members"] = ood.members.has_value() ? ComparisonJson(*ood.members) : Json(nullptr);
  return json;
}

Json ShiftsJson(const std::map<std::string, ShiftMeasures>& shifts) {
  Json json = Json::object();
  for (const auto& [name, shift] : shifts) {
    const size_t dot = name.rfind('.');
    json[name.substr(0, dot)][name.substr(dot + 1)] = {{"accuracy", shift.accuracy},
                                                       {"nll", shift.nll},
                                                       {"ece15", shift.ece},
                                                       {"aurc", shift.aurc}};
  }
  return json;
}

Json MixedJson(const MixedMeasures& mixed) {
  Json json = {{"rows_of_each_part", mixed.each}, {"parts", mixed.parts}, {"aurc", mixed.aurc}};
  for (const ScoreCombiner::Column& column : mixed.combiner) {
    json["combiner"]["scores"][column.score] = {
        {"mean", column.mean}, {"deviation", column.deviation}, {"weight", column.weight}};
  }
  json["combiner"]["intercept"] = mixed.intercept;
  return json;
}

Json TorchmetricsJson(const TorchmetricsMeasures& measures) {
  return {{"ece15_l1", measures.l1}, {"ece15_l2", measures.l2}, {"ece15_max", measures.max}};
}

}  // namespace

Json MeasuresJson(const EvaluatedSystem& system, const SystemMeasures& measures) {
  Json json = {{"name", system.name},
               {"members", system.id.members},
               {"temperature", system.temperature},
               {"cost",
                {{"macs", system.cost.macs},
                 {"parameters", system.cost.parameters},
                 {"weight_bytes", system.cost.weight_bytes}}},
               {"raw", QualityJson(measures.raw)},
               {"scaled", QualityJson(measures.scaled)}};
  for (const auto& [set, ood] : measures.ood) json["ood"][set] = OodJson(ood);
  json["default_scores"] = QuestionsJson(measures.questions);
  if (!measures.shifts.empty()) json["shift"] = ShiftsJson(measures.shifts);
  if (measures.mixed.has_value()) json["mixed_stream"] = MixedJson(*measures.mixed);
  if (measures.torchmetrics_raw.has_value()) {
    json["raw"]["torchmetrics"] = TorchmetricsJson(*measures.torchmetrics_raw);
    json["scaled"]["torchmetrics"] = TorchmetricsJson(*measures.torchmetrics_scaled);
  }
  for (const auto& [name, interval] : measures.intervals)
    json["intervals"][name] = {interval.low, interval.high};
  for (const auto& [name, difference] : measures.differences) {
    json["differences"][name] = {{"difference", difference.value},
                                 {"interval", {difference.interval.low, difference.interval.high}}};
  }
  return json;
}

}  // namespace hydra::builder
