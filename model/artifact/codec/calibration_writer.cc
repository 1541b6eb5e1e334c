#include "model/artifact/codec/calibration_codec.h"
#include "model/artifact/codec/json_reader.h"
#include "nlohmann/json.hpp"

namespace hydra::artifact::codec {
namespace {

using Json = nlohmann::ordered_json;

Json TableJson(const CertificateTable& table) {
  Json cuts = Json::array();
  for (const CertificateCut& cut : table.cuts) {
    cuts.push_back(
        {{"threshold", cut.threshold}, {"accepted", cut.accepted}, {"errors", cut.errors}});
  }
  Json json = {{"dtype", table.dtype}, {"score", table.score}, {"score_made", table.score_made}};
  if (!table.classes.empty()) json["classes"] = table.classes;
  json["n"] = table.n;
  json["delta"] = table.delta;
  json["population"] = table.population;
  json["cuts"] = std::move(cuts);
  for (const PathRule& rule : table.rules) {
    json["rules"].push_back({{"score", rule.score}, {"thresholds", rule.thresholds}});
  }
  return json;
}

Json QuantileJson(const ConformalQuantile& quantile) {
  return {{"method", quantile.method},
          {"alpha", quantile.alpha},
          {"quantile", quantile.quantile},
          {"n", quantile.n},
          {"dtype", quantile.dtype}};
}

}  // namespace

absl::StatusOr<std::string> EncodeCalibration(const Calibration& calibration) {
  Json json = {{"temperature", calibration.temperature},
               {"default_score", calibration.default_score},
               {"splits", Json::object()},
               {"certificates", Json::array()},
               {"conformal", Json::array()},
               {"reference_histograms", Json::object()},
               {"batch_tolerance", Json::object()}};
  for (const auto& [name, split] : calibration.splits) {
    json["splits"][name] = {{"n", split.n}, {"digest", split.digest}};
  }
  for (const CertificateTable& table : calibration.certificates) {
    json["certificates"].push_back(TableJson(table));
  }
  for (const ConformalQuantile& quantile : calibration.conformal) {
    json["conformal"].push_back(QuantileJson(quantile));
  }
  for (const auto& [score, histogram] : calibration.reference_histograms) {
    json["reference_histograms"][score] = {{"edges", histogram.edges},
                                           {"counts", histogram.counts}};
  }
  for (const auto& [dtype, tolerance] : calibration.batch_tolerance) {
    json["batch_tolerance"][dtype] = tolerance;
  }
  return DumpJson(json, kCalibrationFile);
}

}  // namespace hydra::artifact::codec
