#include "client/cli/predict_view.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "client/cli/policy_view.h"
#include "client/terminal/json.h"

namespace hydra::cli {
namespace {

using terminal::Printable;

constexpr size_t kShownDigest = 19;  // "sha256:" and 12 digits

std::string Nats(double value) { return absl::StrFormat("%.3f", value); }

std::string Outcome(const v1::Decision& decision) {
  return std::string(
      absl::StripPrefix(v1::DecisionOutcome_Name(decision.outcome()), "DECISION_OUTCOME_"));
}

// "MEMBERS_DISAGREE: mutual_information 0.312 > 0.120"; for a prediction the score that was asked.
std::string Why(const v1::Decision& decision) {
  std::string text;
  if (decision.outcome() == v1::DECISION_OUTCOME_ABSTAINED) {
    text = std::string(
        absl::StripPrefix(v1::AbstentionReason_Name(decision.reason()), "ABSTENTION_REASON_"));
  }
  if (!decision.has_score() || !decision.has_threshold()) return text;
  const bool accepted = decision.score() <= decision.threshold();
  return absl::StrCat(text, text.empty() ? "" : ": ",
                      absl::StrFormat("%s %.4g %s %.4g", decision.score_name(), decision.score(),
                                      accepted ? "<=" : ">", decision.threshold()));
}

// Why, and how much of a text the model has not read.
std::string Remarks(const v1::Prediction& prediction) {
  const std::string why = Why(prediction.decision());
  if (prediction.truncated_tokens() == 0) return why;
  return absl::StrCat(why, why.empty() ? "" : "; ", prediction.truncated_tokens(),
                      " tokens cut off");
}

double Percent(size_t part, size_t whole) {
  return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

void PredictTable::AddResponse(const v1::PredictResponse& response) {
  last_ = response;
  last_.clear_predictions();
}

void PredictTable::AddRow(const input::NamedInput& input, const v1::Prediction& prediction) {
  Count(input, prediction);
  const std::string truth = input.truth.has_value() ? absl::StrCat(*input.truth) : "";
  if (prediction.has_status()) {
    table_.AddRow({input.name, truth, "", "", "", "", "", "FAILED", prediction.status().message()});
    return;
  }
  const bool withheld = prediction.top().empty();
  const v1::Uncertainty& uncertainty = prediction.uncertainty();
  table_.AddRow({input.name, truth, withheld ? "(withheld)" : prediction.top(0).label(),
                 withheld ? "" : Nats(prediction.top(0).probability()),
                 Nats(uncertainty.total_nats()), Nats(uncertainty.aleatoric_nats()),
                 uncertainty.has_epistemic_nats() ? Nats(uncertainty.epistemic_nats()) : "-",
                 Outcome(prediction.decision()), Remarks(prediction)});
  for (int i = 1; i < prediction.top_size(); ++i) {
    table_.AddRow({"", "", prediction.top(i).label(), Nats(prediction.top(i).probability())});
  }
}

void PredictTable::Count(const input::NamedInput& input, const v1::Prediction& prediction) {
  truncated_ += prediction.truncated_tokens() > 0;
  if (prediction.has_status()) {
    ++failed_;
  } else if (prediction.decision().outcome() == v1::DECISION_OUTCOME_ABSTAINED) {
    ++abstained_;
  } else {
    ++predicted_;
    if (!input.truth.has_value() || prediction.top().empty()) return;
    ++judged_;
    right_ += prediction.top(0).index() == *input.truth;
  }
}

std::string PredictTable::ToString() const { return absl::StrCat(table_.ToString(), Summary()); }

std::string PredictTable::Summary() const {
  const size_t answered = predicted_ + abstained_;
  std::string text = absl::StrFormat("\n%d inputs: %d predicted, %d abstained", answered + failed_,
                                     predicted_, abstained_);
  if (answered > 0) absl::StrAppendFormat(&text, " (%.1f %%)", Percent(abstained_, answered));
  if (failed_ > 0) absl::StrAppendFormat(&text, ", %d failed", failed_);
  if (truncated_ > 0) absl::StrAppendFormat(&text, "; %d texts cut off", truncated_);
  if (judged_ > 0) {
    absl::StrAppendFormat(&text, "; %d of %d predicted right (%.1f %%)", right_, judged_,
                          Percent(right_, judged_));
  }
  absl::StrAppendFormat(&text, "\nentropies in nats; model %s %s, %d members, policy %s\n",
                        Printable(last_.model().name()),
                        Printable(last_.model().bundle_digest().substr(0, kShownDigest)),
                        last_.members_used(), PolicyReferenceText(last_.policy()));
  return text;
}

std::string PredictionLine(const input::NamedInput& input, const v1::Prediction& prediction,
                           const v1::PredictResponse& response) {
  nlohmann::ordered_json line = {{"input", input.name}};
  if (input.truth.has_value()) line["truth"] = *input.truth;
  line.update(terminal::ToJson(prediction));
  line["model"] = terminal::ToJson(response.model());
  line["policy"] = terminal::ToJson(response.policy());
  line["members_used"] = response.members_used();
  if (response.has_timings()) line["timings"] = terminal::ToJson(response.timings());
  return terminal::JsonLine(line);
}

}  // namespace hydra::cli
