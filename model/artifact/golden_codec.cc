#include "model/artifact/golden_codec.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "model/artifact/codec/json_reader.h"
#include "model/artifact/codec/vocabulary.h"
#include "model/artifact/tensor_file.h"
#include "model/base/status_macros.h"
#include "nlohmann/json.hpp"

namespace hydra::artifact {
namespace {

using codec::CheckNumerics;
using codec::CountRange;
using codec::JsonDocument;
using codec::JsonNode;
using codec::JsonObject;
using Json = nlohmann::ordered_json;

constexpr size_t kMaxGoldenRows = 4096;

CountRange Exactly(size_t count) { return {count, count}; }

size_t RowValues(const Geometry& geometry) {
  return geometry.channels * geometry.image_height * geometry.image_width;
}

void ReadBody(JsonObject& root, const Manifest& manifest, GoldenAnswers& golden) {
  golden.members = root["members"].Count(Exactly(manifest.members));
  golden.batch = root["batch"].Count({1, kMaxGoldenRows});
  golden.classes = root["classes"].Count(Exactly(manifest.geometry.classes));
  if (IsTextFamily(manifest.family)) {
    golden.tokens = root["tokens"].Count({2, manifest.geometry.max_positions});
  } else {
    golden.row_values = root["row_values"].Count(Exactly(RowValues(manifest.geometry)));
  }
  const JsonNode dtype = root["dtype"];
  golden.dtype = dtype.Text();
  CheckNumerics(dtype, golden.dtype);
  const JsonNode tolerance = root["tolerance"];
  for (const auto& [name, item] : tolerance.Members({1, codec::kNumerics.size()})) {
    CheckNumerics(item, name);
    golden.tolerance.emplace(name, item.Real({1e-9, 1.0}));
  }
  if (golden.tolerance.count(golden.dtype) == 0) {
    tolerance.Fail(absl::StrCat("missing key ", golden.dtype, ", the dtype of the answers"));
  }
}

absl::Status CheckFinite(const std::vector<float>& values, absl::string_view tensor) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    return absl::InvalidArgumentError(absl::StrCat(kGoldenTensorsFile, ": ", tensor, ": value ", i,
                                                   " is ", values[i], ", want finite values"));
  }
  return absl::OkStatus();
}

absl::Status CheckBelow(const std::vector<int64_t>& values, size_t limit,
                        absl::string_view tensor) {
  for (const int64_t value : values) {
    if (value >= 0 && static_cast<size_t>(value) < limit) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(kGoldenTensorsFile, ": ", tensor, ": got ", value, ", want 0..", limit - 1));
  }
  return absl::OkStatus();
}

absl::Status ReadTexts(const TensorFile& file, const Manifest& manifest, GoldenAnswers& golden) {
  const size_t shape[] = {golden.batch, golden.tokens};
  HYDRA_ASSIGN_OR_RETURN(golden.token_ids, file.Integers("token_ids", shape));
  HYDRA_ASSIGN_OR_RETURN(golden.attention_mask, file.Integers("attention_mask", shape));
  HYDRA_RETURN_IF_ERROR(CheckBelow(golden.token_ids, manifest.geometry.vocabulary, "token_ids"));
  return CheckBelow(golden.attention_mask, 2, "attention_mask");
}

absl::Status ReadTensors(const TensorFile& file, const Manifest& manifest, GoldenAnswers& golden) {
  const Geometry& geometry = manifest.geometry;
  const size_t logits_shape[] = {golden.members, golden.batch, golden.classes};
  HYDRA_ASSIGN_OR_RETURN(golden.logits, file.Floats("logits", logits_shape));
  HYDRA_RETURN_IF_ERROR(CheckFinite(golden.logits, "logits"));
  if (std::all_of(golden.logits.begin(), golden.logits.end(), [](float z) { return z == 0.0f; })) {
    return absl::InvalidArgumentError(
        absl::StrCat(kGoldenTensorsFile, ": logits: all 0, a tolerance relative to them is void"));
  }
  const size_t expected = IsTextFamily(manifest.family) ? 3 : 2;
  if (file.tensors().size() != expected) {
    return absl::InvalidArgumentError(absl::StrCat(
        kGoldenTensorsFile, ": got ", file.tensors().size(), " tensors, want ", expected));
  }
  if (IsTextFamily(manifest.family)) return ReadTexts(file, manifest, golden);
  const size_t shape[] = {golden.batch, geometry.channels, geometry.image_height,
                          geometry.image_width};
  HYDRA_ASSIGN_OR_RETURN(golden.inputs, file.Floats("inputs", shape));
  return CheckFinite(golden.inputs, "inputs");
}

}  // namespace

absl::StatusOr<GoldenAnswers> ParseGolden(absl::string_view text, std::string tensors,
                                          const Manifest& manifest) {
  HYDRA_ASSIGN_OR_RETURN(JsonDocument document, JsonDocument::Parse(text, kGoldenFile));
  GoldenAnswers golden;
  {
    JsonObject root(document.root());
    ReadBody(root, manifest, golden);
  }
  HYDRA_RETURN_IF_ERROR(document.Finish());
  HYDRA_ASSIGN_OR_RETURN(const TensorFile file,
                         TensorFile::Parse(std::move(tensors), kGoldenTensorsFile));
  HYDRA_RETURN_IF_ERROR(ReadTensors(file, manifest, golden));
  return golden;
}

absl::StatusOr<std::string> EncodeGolden(const GoldenAnswers& golden) {
  Json json = {{"members", golden.members}, {"batch", golden.batch}, {"classes", golden.classes}};
  if (golden.tokens > 0) {
    json["tokens"] = golden.tokens;
  } else {
    json["row_values"] = golden.row_values;
  }
  json["dtype"] = golden.dtype;
  json["tolerance"] = golden.tolerance;
  return codec::DumpJson(json, kGoldenFile);
}

absl::StatusOr<std::string> EncodeGoldenTensors(const GoldenAnswers& golden,
                                                const Manifest& manifest) {
  const Geometry& geometry = manifest.geometry;
  std::map<std::string, TensorEntry> entries;
  entries["logits"] = {
      DType::kF32, {golden.members, golden.batch, golden.classes}, BytesOf(golden.logits)};
  if (IsTextFamily(manifest.family)) {
    const std::vector<size_t> shape = {golden.batch, golden.tokens};
    entries["token_ids"] = {DType::kI64, shape, BytesOf(golden.token_ids)};
    entries["attention_mask"] = {DType::kI64, shape, BytesOf(golden.attention_mask)};
  } else {
    entries["inputs"] = {
        DType::kF32,
        {golden.batch, geometry.channels, geometry.image_height, geometry.image_width},
        BytesOf(golden.inputs)};
  }
  return EncodeTensors(entries, {});
}

}  // namespace hydra::artifact
