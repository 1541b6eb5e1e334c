#include "client/loadgen/program.h"

#include <algorithm>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "client/loadgen/report.h"
#include "client/loadgen/runner.h"
#include "client/terminal/error_text.h"
#include "client/terminal/table.h"
#include "model/base/status_macros.h"

namespace hydra::loadgen {

using terminal::ExitCode;

Program::Program()
    : app_("Send a Hydra server a load of predictions and measure it", "hydra-loadgen") {
  app_.footer(terminal::kExitCodeHelp);
  terminal::AddConnectionFlags(app_, connection_);
  input::AddInputFlags(app_, input_);
  AddLoadFlags();
}

void Program::AddLoadFlags() {
  app_.add_option("--mode", mode_, "closed: callers that wait; poisson, constant, burst: open loop")
      ->check(CLI::IsMember({"closed", "poisson", "constant", "burst"}))
      ->capture_default_str();
  app_.add_option("--concurrency", load_.concurrency, "Callers of a closed loop")
      ->capture_default_str();
  app_.add_option("--rate", load_.arrivals.calls_per_second, "Calls a second of an open loop")
      ->capture_default_str();
  app_.add_option("--burst-size", load_.arrivals.burst_size, "Calls at once with --mode burst")
      ->capture_default_str();
  app_.add_option("--seed", load_.arrivals.seed, "Of the arrival times")->capture_default_str();
  app_.add_option("--warm-up", warm_up_, "Sent first, not measured; 0 for none")
      ->capture_default_str();
  app_.add_option("--duration", duration_, "Measured")->capture_default_str();
  app_.add_option("--max-calls", load_.max_calls, "End after so many calls")->capture_default_str();
  app_.add_option("--max-in-flight", load_.max_in_flight, "Open loop: send no more than so many")
      ->capture_default_str();
  app_.add_option("--rows", rows_, "Inputs in one call")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app_.add_option("--inputs", inputs_, "Different inputs to send in turn")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  app_.add_flag("--json", json_, "One JSON object instead of text");
}

absl::StatusOr<Load> Program::MakeLoad() const {
  Load load = load_;
  load.kind = mode_ == "closed" ? LoadKind::kClosed : LoadKind::kOpen;
  if (mode_ == "constant") load.arrivals.kind = ArrivalKind::kConstant;
  if (mode_ == "burst") load.arrivals.kind = ArrivalKind::kBurst;
  if (warm_up_ == "0") {
    load.warm_up = absl::ZeroDuration();
  } else {
    HYDRA_ASSIGN_OR_RETURN(load.warm_up, terminal::ParsePositiveDuration("--warm-up", warm_up_));
  }
  HYDRA_ASSIGN_OR_RETURN(load.duration, terminal::ParsePositiveDuration("--duration", duration_));
  HYDRA_ASSIGN_OR_RETURN(load.deadline,
                         terminal::ParsePositiveDuration("--timeout", connection_.timeout));
  HYDRA_RETURN_IF_ERROR(Validate(load));
  return load;
}

absl::StatusOr<std::vector<v1::PredictRequest>> Program::MakeRequests() const {
  HYDRA_ASSIGN_OR_RETURN(std::unique_ptr<input::Source> source, input::OpenSource(input_));
  HYDRA_ASSIGN_OR_RETURN(std::vector<input::NamedInput> inputs,
                         source->Next(std::max(inputs_, rows_)));
  if (inputs.empty()) return absl::InvalidArgumentError("inputs: got none, want at least one");
  std::vector<v1::PredictRequest> requests((inputs.size() + rows_ - 1) / rows_);
  for (size_t i = 0; i < requests.size() * rows_; ++i) {  // the last one is filled from the start
    *requests[i / rows_].add_instances() = inputs[i % inputs.size()].instance;
  }
  return requests;
}

ExitCode Program::Run(std::ostream& out, std::ostream& err) {
  const auto options = terminal::MakeOptions(connection_);
  const auto load = MakeLoad();
  const auto requests = MakeRequests();
  for (const absl::Status& status : {options.status(), load.status(), requests.status()}) {
    if (status.ok()) continue;
    err << "hydra-loadgen: " << terminal::Printable(std::string(status.message())) << "\n";
    return ExitCode::kUsage;
  }
  const base::RealClock clock;
  client::RealSleeper sleeper;
  const auto summary = RunLoad(*load, *options, *requests, {clock, sleeper});
  if (!summary.ok()) {
    err << "hydra-loadgen: " << terminal::ErrorText(summary.status());
    return terminal::ExitCodeOf(summary.status());
  }
  out << (json_ ? ReportJson(*load, *summary) : ReportText(*load, *summary));
  return ExitCode::kOk;
}

}  // namespace hydra::loadgen
