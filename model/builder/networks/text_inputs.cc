#include "model/builder/networks/text_inputs.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "model/base/file.h"
#include "model/base/status_macros.h"
#include "model/text/tokenizer_files.h"
#include "nlohmann/json.hpp"

namespace hydra::builder {
namespace {

using nlohmann::json;

constexpr size_t kMaxConfigBytes = size_t{16} << 20;
constexpr char kTokenizerConfig[] = "/tokenizer_config.json";

// An empty object where there is no such file.
absl::StatusOr<json> ReadObject(const std::string& path) {
  const absl::StatusOr<std::string> text = base::ReadFile(path, kMaxConfigBytes);
  if (absl::IsNotFound(text.status())) return json::object();
  HYDRA_RETURN_IF_ERROR(text.status());
  json document = json::parse(*text, nullptr, false);
  if (!document.is_object())
    return absl::InvalidArgumentError(absl::StrCat(path, ": not a JSON object"));
  return document;
}

}  // namespace

absl::StatusOr<InputSettings> ReadTextInputs(const std::string& directory, size_t max_positions) {
  InputSettings inputs;
  HYDRA_ASSIGN_OR_RETURN(inputs.tokenizer_json, text::LoadTokenizerJson(directory));
  HYDRA_ASSIGN_OR_RETURN(const json tokenizer, ReadObject(directory + kTokenizerConfig));
  HYDRA_ASSIGN_OR_RETURN(const json config, ReadObject(directory + "/config.json"));
  artifact::TextSettings& settings = inputs.text.emplace();
  settings.max_tokens = max_positions;
  // A tokenizer without a limit has 1e30 here.
  const json limit = tokenizer.value("model_max_length", json());
  if (limit.is_number() && limit.get<double>() >= 2.0 &&
      limit.get<double>() < static_cast<double>(max_positions)) {
    settings.max_tokens = limit.get<size_t>();
  }
  const json padding = config.value("pad_token_id", json(0));
  settings.pad_token = padding.is_number_integer() ? std::max<int64_t>(0, padding) : 0;
  return inputs;
}

absl::Status WriteTextInputs(const InputSettings& inputs, const std::string& directory) {
  const json config = {{"tokenizer_class", "PreTrainedTokenizerFast"},
                       {"model_max_length", inputs.text->max_tokens}};
  HYDRA_RETURN_IF_ERROR(
      base::WriteFileAtomically(directory + "/tokenizer.json", *inputs.tokenizer_json));
  return base::WriteFileAtomically(directory + kTokenizerConfig, config.dump(2) + "\n");
}

}  // namespace hydra::builder
