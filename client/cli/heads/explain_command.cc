#include "client/cli/heads/explain_command.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/input/flags.h"
#include "client/terminal/json.h"
#include "client/terminal/table.h"
#include "model/base/file.h"
#include "model/base/status_macros.h"

namespace hydra::cli {
namespace {

using terminal::Printable;
using terminal::Table;

constexpr absl::string_view kPng = ".png";

struct ExplainFlags {
  input::InputFlags input;
  std::string model;
  std::vector<uint32_t> layers;
  std::vector<uint32_t> heads;
  uint32_t member = 0;
  std::string out;
};

absl::StatusOr<input::NamedInput> OneInput(const input::InputFlags& flags) {
  HYDRA_ASSIGN_OR_RETURN(const std::unique_ptr<input::Source> source, input::OpenSource(flags));
  HYDRA_ASSIGN_OR_RETURN(std::vector<input::NamedInput> inputs, source->Next(1));
  if (inputs.empty()) return absl::InvalidArgumentError("explain: got no input, want one");
  return std::move(inputs.front());
}

// Every head of every layer that was named.
v1::ExplainHeadsRequest MakeRequest(const ExplainFlags& flags, const v1::Instance& instance) {
  v1::ExplainHeadsRequest request;
  request.set_model(flags.model);
  *request.mutable_instance() = instance;
  request.set_return_png(!flags.out.empty());
  for (const uint32_t layer : flags.layers) {
    for (const uint32_t head : flags.heads) {
      v1::HeadReference& reference = *request.add_heads();
      reference.set_layer(layer);
      reference.set_head(head);
      reference.set_member(flags.member);
    }
  }
  return request;
}

// "x.png" of one head; "x-layer3-head5.png" when there are several.
std::string FileOf(const std::string& out, const v1::ExplainHeadsResponse& response, int index) {
  if (response.explanations_size() == 1) return out;
  const v1::HeadReference& head = response.explanations(index).head();
  const std::string stem =
      absl::EndsWith(out, kPng) ? out.substr(0, out.size() - kPng.size()) : out;
  return absl::StrCat(stem, "-layer", head.layer(), "-head", head.head(), kPng);
}

absl::Status WriteMaps(const std::string& out, const v1::ExplainHeadsResponse& response) {
  for (int i = 0; i < response.explanations_size(); ++i) {
    HYDRA_RETURN_IF_ERROR(
        base::WriteFileAtomically(FileOf(out, response, i), response.explanations(i).png()));
  }
  return absl::OkStatus();
}

std::string Eigenvalues(const v1::HeadExplanation& explanation) {
  std::string text;
  for (const double value : explanation.eigenvalues()) {
    absl::StrAppendFormat(&text, text.empty() ? "%.4f" : " %.4f", value);
  }
  return text;
}

std::string ExplainText(const std::string& name, const std::string& out,
                        const v1::ExplainHeadsResponse& response) {
  Table table({{"layer", terminal::Align::kRight},
               {"head", terminal::Align::kRight},
               {"member", terminal::Align::kRight},
               {"map"},
               {"smallest eigenvalues"},
               {"file"}});
  bool degenerate = false;
  for (int i = 0; i < response.explanations_size(); ++i) {
    const v1::HeadExplanation& explanation = response.explanations(i);
    for (const bool channel : explanation.degenerate()) degenerate = degenerate || channel;
    table.AddRow({absl::StrCat(explanation.head().layer()), absl::StrCat(explanation.head().head()),
                  absl::StrCat(explanation.head().member()),
                  absl::StrCat(explanation.rows(), " x ", explanation.columns()),
                  Eigenvalues(explanation), out.empty() ? "" : FileOf(out, response, i)});
  }
  std::string text = absl::StrCat(Printable(name), "\n\n", table.ToString());
  if (response.truncated_tokens() > 0) {
    absl::StrAppend(&text, "\n", response.truncated_tokens(), " tokens cut off\n");
  }
  if (degenerate) {
    text += "\nSome eigenvalues lie together: their colours are one choice of many.\n";
  }
  return text;
}

ExitCode RunExplain(const ExplainFlags& flags, Session& session) {
  const auto input = OneInput(flags.input);
  if (!input.ok()) return session.Misused(input.status());
  const auto response = session.client().ExplainHeads(MakeRequest(flags, input->instance));
  if (!response.ok()) return session.Refused(response.status());
  if (!flags.out.empty()) {
    const absl::Status written = WriteMaps(flags.out, *response);
    if (!written.ok()) return session.Misused(written);
  }
  session.out() << (session.format() == Format::kJson
                        ? terminal::JsonLine(terminal::ToJson(*response))
                        : ExplainText(input->name, flags.out, *response));
  return ExitCode::kOk;
}

}  // namespace

void AddExplainCommand(CLI::App& app, Command& chosen) {
  auto flags = std::make_shared<ExplainFlags>();  // shared with the callback that CLI11 keeps
  CLI::App* command =
      app.add_subcommand("explain", "What heads look at in one input: Laplace maps");
  input::AddInputFlags(*command, flags->input);
  command->add_option("--model", flags->model, "Name or digest (default: the active one)");
  command->add_option("--layer", flags->layers, "Layers: 0,1,5")->delimiter(',')->required();
  command->add_option("--head", flags->heads, "Heads of the base in each layer: 0,3")
      ->delimiter(',')
      ->required();
  command->add_option("--member", flags->member, "The member whose heads they are")
      ->capture_default_str();
  command->add_option("--out", flags->out,
                      "PNG file; of several heads NAME-layerL-headH.png beside it");
  command->callback([flags, &chosen] {
    chosen = [flags](Session& session) { return RunExplain(*flags, session); };
  });
}

}  // namespace hydra::cli
