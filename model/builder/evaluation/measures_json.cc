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

Json QualityJson(const Quality& quality) {
  Json json = {{"n", quality.probability.n},
               {"accuracy", quality.probability.accuracy},
               {"nll", quality.probability.nll},
               {"nll_clamped", quality.probability.nll_clamped},
               {"brier", quality.probability.brier},
               {"ece15", quality.ece},
               {"ece15_noise_floor", quality.ece_noise_floor},
               {"member_accuracy", quality.member_accuracy}};
  json["members"] = quality.members.has_value() ? ComparisonJson(*quality.members) : Json(nullptr);
  for (const auto& [score, selective] : quality.selective) {
    json["selective"][score] = {{"aurc", selective.aurc},
                                {"e_aurc", selective.e_aurc},
                                {"augrc", selective.augrc},
                                {"aurc_trapezoid", selective.aurc_trapezoid}};
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
  for (const auto& [name, interval] : measures.intervals)
    json["intervals"][name] = {interval.low, interval.high};
  return json;
}

}  // namespace hydra::builder
