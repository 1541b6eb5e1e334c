#include "client/cli/program.h"

#include "client/cli/heads/explain_command.h"
#include "client/cli/heads/headmap_command.h"
#include "client/cli/model_command.h"
#include "client/cli/predict_command.h"
#include "client/cli/status_command.h"
#include "client/cli/threshold_command.h"
#include "client/terminal/table.h"

namespace hydra::cli {

Program::Program()
    : app_("Ask a Hydra server for predictions, and look after its policy", "hydra") {
  app_.require_subcommand(1);
  app_.fallthrough();
  app_.footer(terminal::kExitCodeHelp);
  terminal::AddConnectionFlags(app_, connection_);
  app_.add_flag("--json", json_, "One JSON object a line instead of tables; errors too");
  AddPredictCommand(app_, chosen_);
  AddThresholdCommand(app_, chosen_);
  AddHeadmapCommand(app_, chosen_);
  AddExplainCommand(app_, chosen_);
  AddModelCommand(app_, chosen_);
  AddStatusCommand(app_, chosen_);
}

ExitCode Program::Run(std::ostream& out, std::ostream& err, const Connect& connect) {
  const absl::StatusOr<client::Options> options = terminal::MakeOptions(connection_);
  const absl::StatusOr<client::Client> client =
      options.ok() ? connect(*options) : absl::StatusOr<client::Client>(options.status());
  if (!client.ok()) {
    err << "hydra: " << terminal::Printable(std::string(client.status().message())) << "\n";
    return ExitCode::kUsage;
  }
  Session session(*client, json_ ? Format::kJson : Format::kText, out, err);
  return chosen_(session);
}

}  // namespace hydra::cli
