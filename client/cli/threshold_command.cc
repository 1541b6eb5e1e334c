#include "client/cli/threshold_command.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/cli/policy_view.h"
#include "client/terminal/json.h"
#include "model/base/status_macros.h"

namespace hydra::cli {
namespace {

struct SetFlags {
  std::vector<std::string> thresholds;  // "score=value"
  std::optional<double> target_risk;
  std::optional<double> target_coverage;
  double delta = 0.0;  // 0: the server's default
  std::string score;
  std::string etag;
  bool preview = false;
  bool validate_only = false;
};

struct RollbackFlags {
  uint64_t revision = 0;  // 0: the one before the active one
  std::string etag;
  bool validate_only = false;
};

absl::Status AddThresholdRule(const std::string& text, v1::Policy& policy) {
  const std::pair<std::string, std::string> parts = absl::StrSplit(text, absl::MaxSplits('=', 1));
  double threshold = 0.0;
  if (parts.first.empty() || !absl::SimpleAtod(parts.second, &threshold)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--threshold: got \"", text, "\", want score=value such as mutual_information=0.12"));
  }
  v1::ScoreRule& rule = *policy.add_rules()->mutable_score();
  rule.set_score_name(parts.first);
  rule.set_threshold(threshold);
  return absl::OkStatus();
}

// The wanted rules or target, and nothing else.
absl::StatusOr<v1::Policy> WantedPolicy(const SetFlags& flags) {
  const int kinds =
      !flags.thresholds.empty() + flags.target_risk.has_value() + flags.target_coverage.has_value();
  if (kinds != 1) {
    return absl::InvalidArgumentError(
        "threshold set: want one of --threshold, --target-risk and --target-coverage");
  }
  v1::Policy policy;
  for (const std::string& text : flags.thresholds) {
    HYDRA_RETURN_IF_ERROR(AddThresholdRule(text, policy));
  }
  if (flags.target_risk.has_value()) {
    v1::TargetRiskIntent& target = *policy.mutable_intent()->mutable_target_risk();
    target.set_risk(*flags.target_risk);
    target.set_delta(flags.delta);
    target.set_score_name(flags.score);
  }
  if (flags.target_coverage.has_value()) {
    v1::TargetCoverageIntent& target = *policy.mutable_intent()->mutable_target_coverage();
    target.set_coverage(*flags.target_coverage);
    target.set_score_name(flags.score);
  }
  return policy;
}

ExitCode Preview(const v1::Policy& wanted, const SetFlags& flags, Session& session) {
  v1::PreviewPolicyRequest request;
  *request.mutable_rules() = wanted.rules();
  if (wanted.has_intent()) *request.mutable_intent() = wanted.intent();
  request.set_delta(flags.delta);
  const auto preview = session.client().PreviewPolicy(request);
  if (!preview.ok()) return session.Refused(preview.status());
  if (session.format() == Format::kJson) {
    session.out() << terminal::JsonLine(terminal::ToJson(*preview));
  } else {
    session.out() << PolicyText(preview->policy()) << PreviewText(*preview)
                  << "\nNothing was changed.\n";
  }
  return ExitCode::kOk;
}

// Response: UpdatePolicyResponse or RollbackPolicyResponse.
template <typename Response>
ExitCode ShowChange(const Response& response, const v1::Policy& before, Session& session) {
  if (session.format() == Format::kJson) {
    session.out() << terminal::JsonLine(terminal::ToJson(response));
    return ExitCode::kOk;
  }
  session.out() << PolicyText(response.policy()) << "\n";
  if (response.applied()) {
    session.out() << "Changed from revision " << before.revision() << " to "
                  << response.policy().revision() << ".\n";
  } else {
    session.out() << "Valid. Nothing was changed; revision " << before.revision()
                  << " stays active.\n";
  }
  return ExitCode::kOk;
}

ExitCode RunSet(const SetFlags& flags, Session& session) {
  auto wanted = WantedPolicy(flags);
  if (!wanted.ok()) return session.Misused(wanted.status());
  if (flags.preview) return Preview(*wanted, flags, session);
  const auto before = session.client().GetPolicy();
  if (!before.ok()) return session.Refused(before.status());
  v1::UpdatePolicyRequest request;
  *request.mutable_policy() = *std::move(wanted);
  // The etag of the policy just read: a change by somebody else in between is not overwritten.
  request.mutable_policy()->set_etag(flags.etag.empty() ? before->etag() : flags.etag);
  request.set_validate_only(flags.validate_only);
  const auto response = session.client().UpdatePolicy(request);
  if (!response.ok()) return session.Refused(response.status());
  return ShowChange(*response, *before, session);
}

ExitCode RunGet(Session& session) {
  const auto policy = session.client().GetPolicy();
  if (!policy.ok()) return session.Refused(policy.status());
  session.out() << (session.format() == Format::kJson
                        ? terminal::JsonLine(terminal::ToJson(*policy))
                        : PolicyText(*policy));
  return ExitCode::kOk;
}

ExitCode RunRevisions(size_t count, Session& session) {
  const auto policies = session.client().ListPolicyRevisions(count);
  if (!policies.ok()) return session.Refused(policies.status());
  if (session.format() == Format::kText) {
    session.out() << RevisionsText(*policies);
    return ExitCode::kOk;
  }
  for (const v1::Policy& policy : *policies) {
    session.out() << terminal::JsonLine(terminal::ToJson(policy));
  }
  return ExitCode::kOk;
}

ExitCode RunRollback(const RollbackFlags& flags, Session& session) {
  const auto before = session.client().GetPolicy();
  if (!before.ok()) return session.Refused(before.status());
  v1::RollbackPolicyRequest request;
  request.set_revision(flags.revision);
  request.set_etag(flags.etag.empty() ? before->etag() : flags.etag);
  request.set_validate_only(flags.validate_only);
  const auto response = session.client().RollbackPolicy(request);
  if (!response.ok()) return session.Refused(response.status());
  return ShowChange(*response, *before, session);
}

void AddGet(CLI::App& parent, Command& chosen) {
  CLI::App* command = parent.add_subcommand("get", "Show the active policy");
  command->callback([&chosen] { chosen = RunGet; });
}

void AddSet(CLI::App& parent, Command& chosen) {
  auto flags = std::make_shared<SetFlags>();  // shared with the callback that CLI11 keeps
  CLI::App* command = parent.add_subcommand("set", "Change the policy by thresholds or a target");
  command->add_option("--threshold", flags->thresholds,
                      "Accept when score <= value: mutual_information=0.12; may be repeated");
  command->add_option("--target-risk", flags->target_risk,
                      "Share of accepted answers that may be wrong: 0.02");
  command->add_option("--target-coverage", flags->target_coverage,
                      "Share of inputs to accept: 0.9");
  command->add_option("--delta", flags->delta, "The risk bound may fail with this probability");
  command->add_option("--score", flags->score, "Score that a target cuts");
  command->add_option("--etag", flags->etag,
                      "Of the policy to replace (default: the active one's)");
  auto* preview =
      command->add_flag("--preview", flags->preview, "Say what it would do, change nothing");
  command->add_flag("--validate-only", flags->validate_only, "Check everything, change nothing")
      ->excludes(preview);
  command->callback(
      [flags, &chosen] { chosen = [flags](Session& session) { return RunSet(*flags, session); }; });
}

void AddRevisions(CLI::App& parent, Command& chosen) {
  auto count = std::make_shared<size_t>(20);  // shared with the callback that CLI11 keeps
  CLI::App* command = parent.add_subcommand("revisions", "List earlier policies, newest first");
  command->add_option("--count", *count, "Largest number to list")->capture_default_str();
  command->callback([count, &chosen] {
    chosen = [count](Session& session) { return RunRevisions(*count, session); };
  });
}

void AddRollback(CLI::App& parent, Command& chosen) {
  auto flags = std::make_shared<RollbackFlags>();  // shared with the callback that CLI11 keeps
  CLI::App* command = parent.add_subcommand("rollback", "Return to an earlier policy");
  command->add_option("--revision", flags->revision, "Which one (default: the one before)");
  command->add_option("--etag", flags->etag,
                      "Of the policy to replace (default: the active one's)");
  command->add_flag("--validate-only", flags->validate_only, "Check everything, change nothing");
  command->callback([flags, &chosen] {
    chosen = [flags](Session& session) { return RunRollback(*flags, session); };
  });
}

}  // namespace

void AddThresholdCommand(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand("threshold", "When the server abstains");
  command->require_subcommand(1);
  command->fallthrough();
  AddGet(*command, chosen);
  AddSet(*command, chosen);
  AddRevisions(*command, chosen);
  AddRollback(*command, chosen);
}

}  // namespace hydra::cli
