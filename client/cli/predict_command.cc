#include "client/cli/predict_command.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "CLI/CLI.hpp"
#include "client/cli/predict_view.h"
#include "client/input/flags.h"

namespace hydra::cli {
namespace {

constexpr size_t kDefaultIdxCount = 16;

struct PredictFlags {
  input::InputFlags input;
  size_t count = 0;  // 0: all, of an IDX file kDefaultIdxCount
  size_t batch = 16;
  uint32_t top = 1;
  double alpha = 0.0;
  bool withhold = false;
  bool members = false;
  bool timings = false;
};

v1::PredictRequest MakeRequest(const PredictFlags& flags,
                               const std::vector<input::NamedInput>& inputs) {
  v1::PredictRequest request;
  v1::PredictOptions& options = *request.mutable_options();
  options.set_top_k(flags.top);
  options.set_withhold_on_abstain(flags.withhold);
  options.set_return_members(flags.members);
  options.set_return_timings(flags.timings);
  options.set_conformal_alpha(flags.alpha);
  options.set_allow_partial(true);  // one unreadable image must not hide the others' answers
  for (const input::NamedInput& input : inputs) *request.add_instances() = input.instance;
  return request;
}

size_t Wanted(const PredictFlags& flags) {
  if (flags.count > 0) return flags.count;
  return flags.input.idx.empty() ? std::numeric_limits<size_t>::max() : kDefaultIdxCount;
}

void Show(Session& session, const std::vector<input::NamedInput>& inputs,
          const v1::PredictResponse& response, PredictTable& table) {
  table.AddResponse(response);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const v1::Prediction& prediction = response.predictions(static_cast<int>(i));
    table.AddRow(inputs[i], prediction);
    if (session.format() == Format::kJson) {
      session.out() << PredictionLine(inputs[i], prediction, response);
    }
  }
}

ExitCode RunPredict(const PredictFlags& flags, Session& session) {
  auto source = input::OpenSource(flags.input);
  if (!source.ok()) return session.Misused(source.status());
  PredictTable table;
  ExitCode code = ExitCode::kOk;
  for (size_t left = Wanted(flags); left > 0;) {
    const auto inputs = (*source)->Next(std::min(left, flags.batch));
    if (!inputs.ok()) return session.Misused(inputs.status());
    if (inputs->empty()) break;
    left -= inputs->size();
    const auto response = session.client().Predict(MakeRequest(flags, *inputs));
    if (!response.ok()) {
      code = session.Refused(response.status());
      break;  // what was answered so far is still shown
    }
    Show(session, *inputs, *response, table);
  }
  if (session.format() == Format::kText && !table.empty()) session.out() << table.ToString();
  return code == ExitCode::kOk && table.failed() > 0 ? ExitCode::kIncomplete : code;
}

}  // namespace

void AddPredictCommand(CLI::App& app, Command& chosen) {
  auto flags = std::make_shared<PredictFlags>();  // shared with the callback that CLI11 keeps
  CLI::App* command = app.add_subcommand("predict", "Predict, with uncertainty and a decision");
  input::AddInputFlags(*command, flags->input);
  command->add_option("--count", flags->count, "Largest number of inputs (default: all; IDX: 16)");
  command->add_option("--batch", flags->batch, "Inputs in one request")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->add_option("--top", flags->top, "Classes to show")->capture_default_str();
  command->add_option("--alpha", flags->alpha, "Miscoverage of the conformal set");
  command->add_flag("--withhold", flags->withhold, "No label for an abstained answer");
  command->add_flag("--members", flags->members, "Each member's answer too (with --json)");
  command->add_flag("--timings", flags->timings, "Where the time went (with --json)");
  command->callback([flags, &chosen] {
    chosen = [flags](Session& session) { return RunPredict(*flags, session); };
  });
}

}  // namespace hydra::cli
