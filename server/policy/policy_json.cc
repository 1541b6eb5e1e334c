#include "server/policy/policy_json.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "model/artifact/codec/json_reader.h"
#include "model/base/status_macros.h"
#include "nlohmann/json.hpp"

namespace hydra::policy {
namespace {

using artifact::codec::JsonDocument;
using artifact::codec::JsonNode;
using artifact::codec::JsonObject;
using artifact::codec::kFinite;
using nlohmann::ordered_json;

constexpr size_t kFormatVersion = 1;
constexpr size_t kMaxRevisions = 10'000;  // far above what is kept
constexpr size_t kMaxClasses = 1'000'000;
constexpr size_t kMaxRows = size_t{1} << 40;
constexpr size_t kMaxRevision = size_t{1} << 53;  // exact in every JSON reader
constexpr artifact::codec::RealRange kShare{0.0, 1.0};

// ---- writing

ordered_json ScoreField(const std::optional<uncertainty::Score>& score) {
  return std::string(uncertainty::ScoreName(*score));
}

ordered_json IntentJson(const Intent& intent) {
  if (const auto* risk = std::get_if<TargetRisk>(&intent)) {
    ordered_json json = {{"kind", "target_risk"}, {"risk", risk->risk}, {"delta", risk->delta}};
    if (risk->score) json["score"] = ScoreField(risk->score);
    return json;
  }
  if (const auto* coverage = std::get_if<TargetCoverage>(&intent)) {
    ordered_json json = {{"kind", "target_coverage"}, {"coverage", coverage->coverage}};
    if (coverage->score) json["score"] = ScoreField(coverage->score);
    return json;
  }
  return {{"kind", "manual"}};
}

ordered_json RulesJson(const Rules& rules) {
  ordered_json json = ordered_json::object();
  ordered_json scores = ordered_json::array();
  for (const uncertainty::Rule& rule : rules.scores) {
    scores.push_back({{"score", ScoreField(rule.score)}, {"threshold", rule.threshold}});
  }
  json["scores"] = std::move(scores);
  if (rules.conformal_set) {
    json["conformal_set"]["max_size"] = rules.conformal_set->max_size;
    if (rules.conformal_set->alpha) json["conformal_set"]["alpha"] = *rules.conformal_set->alpha;
  }
  json["never_predict"] = rules.never_predict;
  return json;
}

ordered_json CertificateJson(const Certificate& certificate) {
  ordered_json json = {{"state", ToString(certificate.state)}, {"reason", certificate.reason}};
  if (certificate.risk_bound) json["risk_bound"] = *certificate.risk_bound;
  if (certificate.delta) json["delta"] = *certificate.delta;
  if (certificate.coverage) json["coverage"] = *certificate.coverage;
  json["n"] = certificate.n;
  json["dtype"] = certificate.dtype;
  json["population"] = certificate.population;
  return json;
}

ordered_json PolicyJson(const Policy& policy) {
  return {{"revision", policy.revision},
          {"bundle_digest", policy.bundle_digest},
          {"updated", absl::FormatTime(absl::RFC3339_full, policy.updated, absl::UTCTimeZone())},
          {"updated_by", policy.updated_by},
          {"intent", IntentJson(policy.intent)},
          {"rules", RulesJson(policy.rules)},
          {"certificate", CertificateJson(policy.certificate)}};
}

// ---- reading

uncertainty::Score ReadScore(const JsonNode& node) {
  const absl::StatusOr<uncertainty::Score> score = uncertainty::ParseScore(node.Text());
  if (!score.ok() && !node.failed()) node.Fail(score.status().message());
  return score.value_or(uncertainty::Score::kOneMinusConfidence);
}

double ReadOpenShare(const JsonNode& node) {
  const double value = node.Real(kShare);
  if (!node.failed() && (value <= 0.0 || value >= 1.0)) {
    node.Fail(absl::StrCat("got ", value, ", want above 0 and below 1"));
  }
  return value;
}

std::optional<uncertainty::Score> ReadOptionalScore(JsonObject& object) {
  if (!object.Has("score")) return std::nullopt;
  return ReadScore(object["score"]);
}

Intent ReadIntent(const JsonNode& node) {
  JsonObject object(node);
  const std::string kind = object["kind"].Choice({"manual", "target_risk", "target_coverage"});
  if (kind == "target_risk") {
    TargetRisk target;
    target.risk = ReadOpenShare(object["risk"]);
    if (object.Has("delta")) target.delta = ReadOpenShare(object["delta"]);
    target.score = ReadOptionalScore(object);
    return target;
  }
  if (kind == "target_coverage") {
    return TargetCoverage{.coverage = object["coverage"].Real(kShare),
                          .score = ReadOptionalScore(object)};
  }
  return Manual{};
}

ConformalSetRule ReadConformalSet(const JsonNode& node) {
  JsonObject object(node);
  ConformalSetRule rule{.max_size = object["max_size"].Count({1, kMaxClasses})};
  if (object.Has("alpha")) rule.alpha = ReadOpenShare(object["alpha"]);
  return rule;
}

Rules ReadRules(const JsonNode& node) {
  JsonObject object(node);
  Rules rules;
  if (object.Has("scores")) {
    for (const JsonNode& item : object["scores"].Items({0, uncertainty::kAllScores.size()})) {
      JsonObject rule(item);
      rules.scores.push_back(
          {.score = ReadScore(rule["score"]), .threshold = rule["threshold"].Real(kFinite)});
    }
  }
  if (object.Has("conformal_set")) {
    rules.conformal_set = ReadConformalSet(object["conformal_set"]);
  }
  if (object.Has("never_predict")) {
    rules.never_predict = object["never_predict"].Counts({0, kMaxClasses}, {0, kMaxClasses - 1});
  }
  return rules;
}

Certificate ReadCertificate(const JsonNode& node) {
  JsonObject object(node);
  Certificate certificate;
  const std::string state = object["state"].Choice({"VALID", "VOID", "STALE"});
  if (state == "VALID") certificate.state = CertificateState::kValid;
  if (state == "STALE") certificate.state = CertificateState::kStale;
  certificate.reason = object["reason"].TextOrEmpty();
  if (object.Has("risk_bound")) certificate.risk_bound = object["risk_bound"].Real(kShare);
  if (object.Has("delta")) certificate.delta = ReadOpenShare(object["delta"]);
  if (object.Has("coverage")) certificate.coverage = object["coverage"].Real(kShare);
  certificate.n = object["n"].Count({0, kMaxRows});
  certificate.dtype = object["dtype"].TextOrEmpty();
  certificate.population = object["population"].TextOrEmpty();
  return certificate;
}

absl::Time ReadTime(const JsonNode& node) {
  absl::Time time;
  std::string error;
  if (!absl::ParseTime(absl::RFC3339_full, node.Text(), &time, &error) && !node.failed()) {
    node.Fail(absl::StrCat("want a time as RFC 3339 writes it: ", error));
  }
  return time;
}

Policy ReadPolicy(const JsonNode& node) {
  JsonObject object(node);
  Policy policy;
  policy.revision = object["revision"].Count({1, kMaxRevision});
  policy.bundle_digest = object["bundle_digest"].Digest();
  policy.updated = ReadTime(object["updated"]);
  policy.updated_by = object["updated_by"].Text();
  policy.intent = ReadIntent(object["intent"]);
  policy.rules = ReadRules(object["rules"]);
  policy.certificate = ReadCertificate(object["certificate"]);
  return policy;
}

History ReadHistory(const JsonNode& node) {
  JsonObject object(node);
  object["format_version"].Count({kFormatVersion, kFormatVersion});
  History history;
  for (const JsonNode& item : object["revisions"].Items({1, kMaxRevisions})) {
    history.push_back(ReadPolicy(item));
    if (history.size() > 1 && history.back().revision <= history[history.size() - 2].revision) {
      item.Fail(absl::StrCat("got revision ", history.back().revision, ", want above ",
                             history[history.size() - 2].revision));
    }
  }
  return history;
}

Change ReadBundlePolicy(const JsonNode& node) {
  JsonObject object(node);
  object["format_version"].Count({kFormatVersion, kFormatVersion});
  Change change;
  change.intent = ReadIntent(object["intent"]);
  if (std::holds_alternative<Manual>(change.intent)) change.rules = ReadRules(object["rules"]);
  return change;
}

}  // namespace

absl::StatusOr<std::string> DumpHistory(const History& history) {
  ordered_json revisions = ordered_json::array();
  for (const Policy& policy : history) revisions.push_back(PolicyJson(policy));
  return artifact::codec::DumpJson(
      {{"format_version", kFormatVersion}, {"revisions", std::move(revisions)}}, "policy");
}

absl::StatusOr<History> ParseHistory(absl::string_view text, absl::string_view file) {
  HYDRA_ASSIGN_OR_RETURN(JsonDocument document, JsonDocument::Parse(text, file));
  History history = ReadHistory(document.root());
  HYDRA_RETURN_IF_ERROR(document.Finish());
  return history;
}

absl::StatusOr<Change> ParseBundlePolicy(absl::string_view text, absl::string_view file) {
  HYDRA_ASSIGN_OR_RETURN(JsonDocument document, JsonDocument::Parse(text, file));
  Change change = ReadBundlePolicy(document.root());
  HYDRA_RETURN_IF_ERROR(document.Finish());
  return change;
}

std::string IdentityText(const Policy& policy) {
  const ordered_json json = {{"revision", policy.revision},
                             {"bundle_digest", policy.bundle_digest},
                             {"intent", IntentJson(policy.intent)},
                             {"rules", RulesJson(policy.rules)}};
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace hydra::policy
