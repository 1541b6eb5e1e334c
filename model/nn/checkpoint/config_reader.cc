#include "model/nn/checkpoint/config_reader.h"

#include <map>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace hydra::nn {
namespace {

using nlohmann::json;

constexpr int64_t kMaxDimension = 1 << 20;  // no encoder is wider; larger values are damage

}  // namespace

absl::StatusOr<json> ParseObject(const std::string& text, const char* file) {
  json document = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object())
    return absl::InvalidArgumentError(absl::StrCat(file, ": not a JSON object"));
  return document;
}

absl::StatusOr<size_t> ReadSize(const json& config, const char* key, size_t otherwise) {
  const auto found = config.find(key);
  if (found == config.end()) return otherwise;
  if (!found->is_number_integer() || found->get<int64_t>() < 1 ||
      found->get<int64_t>() > kMaxDimension) {
    return absl::InvalidArgumentError(absl::StrCat("config.json: ", key, ": got ", found->dump(),
                                                   ", want an integer in 1..", kMaxDimension));
  }
  return found->get<size_t>();
}

absl::StatusOr<std::string> ReadActivation(const json& config, const char* key,
                                           const char* otherwise) {
  static const std::map<std::string, std::string> kNames = {{"gelu", "gelu"},
                                                            {"gelu_new", "gelu_tanh"},
                                                            {"gelu_pytorch_tanh", "gelu_tanh"},
                                                            {"quick_gelu", "quick_gelu"},
                                                            {"relu", "relu"}};
  const json name = config.value(key, json(otherwise));
  const auto found = name.is_string() ? kNames.find(name.get<std::string>()) : kNames.end();
  if (found != kNames.end()) return found->second;
  return absl::UnimplementedError(
      absl::StrCat("config.json: ", key, ": got ", name.dump(),
                   ", want gelu, gelu_new, gelu_pytorch_tanh, quick_gelu or relu"));
}

absl::StatusOr<double> ReadEpsilon(const json& config, double otherwise) {
  const json epsilon = config.value("layer_norm_eps", json(otherwise));
  if (!epsilon.is_number() || !(epsilon.get<double>() > 0.0)) {
    return absl::InvalidArgumentError(absl::StrCat("config.json: layer_norm_eps: got ",
                                                   epsilon.dump(), ", want a positive number"));
  }
  return epsilon.get<double>();
}

absl::StatusOr<json> ReadObject(const json& config, const char* key) {
  const auto found = config.find(key);
  if (found != config.end() && found->is_object()) return *found;
  return absl::InvalidArgumentError(absl::StrCat("config.json: ", key, ": want an object"));
}

absl::StatusOr<bool> ReadFlag(const json& config, const char* key, bool otherwise) {
  const json flag = config.value(key, json(otherwise));
  if (flag.is_boolean()) return flag.get<bool>();
  return absl::InvalidArgumentError(
      absl::StrCat("config.json: ", key, ": got ", flag.dump(), ", want true or false"));
}

}  // namespace hydra::nn
