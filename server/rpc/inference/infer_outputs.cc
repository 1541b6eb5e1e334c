#include "server/rpc/inference/infer_outputs.h"

#include <cstdint>
#include <optional>

#include "model/uncertainty/scores.h"

namespace hydra::rpc {
namespace {

template <typename Number>
void AppendNumber(Number value, std::string& raw) {
  raw.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

// BYTES elements carry their length in four bytes.
void AppendText(absl::string_view text, std::string& raw) {
  AppendNumber(static_cast<uint32_t>(text.size()), raw);
  raw.append(text.data(), text.size());
}

void AppendOptional(const std::optional<double>& value, std::string& raw) {
  AppendNumber(*value, raw);  // such outputs are listed only for bundles that set them
}

void Probabilities(const AnsweredRow& row, const policy::Snapshot&, std::string& raw) {
  for (const float p : row.answer.mean_probs) AppendNumber(p, raw);
}

void ClassIndex(const AnsweredRow& row, const policy::Snapshot&, std::string& raw) {
  AppendNumber(static_cast<int64_t>(row.answer.split.predicted_class), raw);
}

void Label(const AnsweredRow& row, const policy::Snapshot& snapshot, std::string& raw) {
  AppendText(snapshot.bundle->labels[row.answer.split.predicted_class], raw);
}

void Abstained(const AnsweredRow& row, const policy::Snapshot&, std::string& raw) {
  const bool abstained = row.decision.outcome == uncertainty::Outcome::kAbstained;
  AppendNumber(static_cast<uint8_t>(abstained), raw);
}

void Reason(const AnsweredRow& row, const policy::Snapshot&, std::string& raw) {
  const auto& reason = row.decision.reason;
  AppendText(reason ? uncertainty::ReasonName(*reason) : absl::string_view(), raw);
}

void Confidence(const AnsweredRow& row, const policy::Snapshot&, std::string& raw) {
  AppendNumber(row.answer.split.confidence, raw);
}

void Total(const AnsweredRow& row, const policy::Snapshot&, std::string& raw) {
  AppendNumber(row.answer.split.total_nats, raw);
}

void Aleatoric(const AnsweredRow& row, const policy::Snapshot&, std::string& raw) {
  AppendNumber(row.answer.split.aleatoric_nats, raw);
}

void Energy(const AnsweredRow& row, const policy::Snapshot&, std::string& raw) {
  AppendNumber(row.answer.energy, raw);
}

void TruncatedTokens(const AnsweredRow& row, const policy::Snapshot&, std::string& raw) {
  AppendNumber(static_cast<int64_t>(row.truncated_tokens), raw);
}

void Epistemic(const AnsweredRow& row, const policy::Snapshot&, std::string& raw) {
  AppendOptional(row.answer.split.epistemic_nats, raw);
}

void Disagreement(const AnsweredRow& row, const policy::Snapshot&, std::string& raw) {
  AppendOptional(row.answer.split.disagreement, raw);
}

void VariationRatio(const AnsweredRow& row, const policy::Snapshot&, std::string& raw) {
  AppendOptional(row.answer.split.variation_ratio, raw);
}

}  // namespace

std::vector<InferOutput> OutputsOf(const policy::ServedBundle& bundle) {
  const auto classes = static_cast<int64_t>(bundle.manifest.geometry.classes);
  std::vector<InferOutput> outputs = {
      {"probabilities", "FP32", {classes}, Probabilities},
      {"class_index", "INT64", {}, ClassIndex},
      {"label", "BYTES", {}, Label},
      {"abstained", "BOOL", {}, Abstained},
      {"abstention_reason", "BYTES", {}, Reason},
      {"confidence", "FP64", {}, Confidence},
      {"total_nats", "FP64", {}, Total},
      {"aleatoric_nats", "FP64", {}, Aleatoric},
      {"energy", "FP64", {}, Energy},
  };
  if (bundle.manifest.members > 1) {
    outputs.push_back({"epistemic_nats", "FP64", {}, Epistemic});
    outputs.push_back({"disagreement", "FP64", {}, Disagreement});
    outputs.push_back({"variation_ratio", "FP64", {}, VariationRatio});
  }
  if (bundle.tokenizer) outputs.push_back({"truncated_tokens", "INT64", {}, TruncatedTokens});
  return outputs;
}

}  // namespace hydra::rpc
