#include "client/cli/status_command.h"

#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "client/cli/policy_view.h"
#include "client/terminal/json.h"
#include "client/terminal/table.h"

namespace hydra::cli {
namespace {

using Health = grpc::health::v1::HealthCheckResponse;

// The server as a whole first: what a load balancer asks for.
constexpr const char* kServices[] = {"",
                                     "hydra.v1.PredictionService",
                                     "hydra.v1.AbstentionService",
                                     "hydra.v1.HeadMapService",
                                     "hydra.v1.ModelService",
                                     "hydra.v1.FeedbackService",
                                     "inference.GRPCInferenceService"};

struct ServiceHealth {
  std::string service;
  std::string health;
};

absl::StatusOr<std::vector<ServiceHealth>> AskEveryService(client::Client& client) {
  std::vector<ServiceHealth> answers;
  for (const char* service : kServices) {
    const auto health = client.CheckHealth(service);
    if (health.ok()) {
      answers.push_back({service, Health::ServingStatus_Name(*health)});
    } else if (health.status().code() == absl::StatusCode::kNotFound) {
      answers.push_back({service, "NOT_FOUND"});
    } else {
      return health.status();
    }
  }
  return answers;
}

// One line on the model and its policy; why not, when the server does not say.
std::string ServedText(client::Client& client) {
  const auto model = client.GetModel("");
  if (!model.ok())
    return absl::StrCat("no model: ", terminal::Printable(std::string(model.status().message())));
  const auto policy = client.GetPolicy();
  if (!policy.ok())
    return absl::StrCat("no policy: ", terminal::Printable(std::string(policy.status().message())));
  v1::PolicyReference reference;
  reference.set_revision(policy->revision());
  reference.set_certificate_state(policy->certificate().state());
  return absl::StrCat("model ", terminal::Printable(model->reference().name()), " ",
                      terminal::Printable(model->reference().bundle_digest()), "\npolicy ",
                      PolicyReferenceText(reference), ": accepts when ", RulesText(*policy));
}

ExitCode RunStatus(Session& session) {
  const auto answers = AskEveryService(session.client());
  if (!answers.ok()) return session.Refused(answers.status());
  terminal::Table table({{"service"}, {"health"}});
  nlohmann::ordered_json services = nlohmann::ordered_json::object();
  bool all_serving = true;
  for (const ServiceHealth& answer : *answers) {
    table.AddRow({answer.service.empty() ? "(server)" : answer.service, answer.health});
    services[answer.service] = answer.health;
    all_serving = all_serving && answer.health == "SERVING";
  }
  if (session.format() == Format::kJson) {
    session.out() << terminal::JsonLine({{"ready", all_serving}, {"services", services}});
  } else {
    session.out() << table.ToString() << "\n" << ServedText(session.client()) << "\n";
  }
  return all_serving ? ExitCode::kOk : ExitCode::kIncomplete;
}

}  // namespace

void AddStatusCommand(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand("status", "Health of every service");
  command->callback([&chosen] { chosen = RunStatus; });
}

}  // namespace hydra::cli
