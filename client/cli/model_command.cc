#include "client/cli/model_command.h"

#include <algorithm>
#include <memory>
#include <string>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "client/terminal/json.h"
#include "client/terminal/table.h"

namespace hydra::cli {
namespace {

using terminal::Printable;

constexpr int kMaxShownLabels = 20;

std::string Line(absl::string_view name, absl::string_view value) {
  return absl::StrFormat("%-12s %s\n", name, Printable(value));
}

std::string LabelsText(const v1::Model& model) {
  const int shown = std::min(model.labels_size(), kMaxShownLabels);
  std::string text = absl::StrJoin(model.labels().begin(), model.labels().begin() + shown, ", ");
  if (shown < model.labels_size()) absl::StrAppend(&text, ", ... ", model.labels_size(), " in all");
  return text;
}

std::string GeometryText(const v1::Model& model) {
  const v1::ModelGeometry& geometry = model.geometry();
  return absl::StrFormat("%s, %d layers, width %d, %d heads of %d, %d classes", model.family(),
                         geometry.layers(), geometry.width(), geometry.heads(),
                         geometry.head_width(), geometry.classes());
}

std::string EnsembleText(const v1::Model& model) {
  return absl::StrFormat("%d members, branch at layer %d, %s weights, runs in %s", model.members(),
                         model.branch_layer(), model.weights_dtype(), model.serving_dtype());
}

std::string InputsText(const v1::Model& model) {
  return absl::StrJoin(model.inputs(), "; ", [](std::string* out, const v1::ModelInput& input) {
    absl::StrAppend(out, input.name(), " ", input.dtype());
    if (!input.shape().empty()) absl::StrAppend(out, " [", absl::StrJoin(input.shape(), ", "), "]");
  });
}

std::string LimitsText(const v1::ModelLimits& limits) {
  return absl::StrFormat(
      "%d inputs a request, %.1f MiB a message, %.1f MiB and %d pixels an image",
      limits.max_instances(), static_cast<double>(limits.max_message_bytes()) / (1 << 20),
      static_cast<double>(limits.max_image_bytes()) / (1 << 20), limits.max_image_pixels());
}

std::string CalibrationText(const v1::CalibrationSummary& calibration) {
  std::string text =
      Line("calibration", absl::StrFormat("temperature %.4g, cuts %s by default",
                                          calibration.temperature(), calibration.default_score()));
  for (const v1::CertificateSummary& certificate : calibration.certificates()) {
    absl::StrAppend(
        &text, Line("certificate", absl::StrFormat("%s, %s, n = %d, delta %.4g, %d cuts: %s",
                                                   certificate.score_made(), certificate.dtype(),
                                                   certificate.n(), certificate.delta(),
                                                   certificate.cuts(), certificate.population())));
  }
  for (const v1::ConformalSummary& conformal : calibration.conformal()) {
    absl::StrAppend(&text,
                    Line("conformal", absl::StrFormat("%s, alpha %.4g, n = %d", conformal.method(),
                                                      conformal.alpha(), conformal.n())));
  }
  return text;
}

std::string ModelText(const v1::Model& model) {
  const std::string state = v1::ModelState_Name(model.state());
  return absl::StrCat(
      Line("name", model.reference().name()), Line("digest", model.reference().bundle_digest()),
      Line("weights", model.weights_digest()),
      Line("state", absl::StripPrefix(state, "MODEL_STATE_")), Line("network", GeometryText(model)),
      Line("ensemble", EnsembleText(model)), Line("inputs", InputsText(model)),
      Line("labels", LabelsText(model)), Line("limits", LimitsText(model.limits())),
      CalibrationText(model.calibration()),
      Line("made by", absl::StrCat("builder ", model.provenance().tool_version(), ", seed ",
                                   model.provenance().seed())));
}

ExitCode RunModel(const std::string& name, Session& session) {
  const auto model = session.client().GetModel(name);
  if (!model.ok()) return session.Refused(model.status());
  session.out() << (session.format() == Format::kJson ? terminal::JsonLine(terminal::ToJson(*model))
                                                      : ModelText(*model));
  return ExitCode::kOk;
}

}  // namespace

void AddModelCommand(CLI::App& app, Command& chosen) {
  auto name = std::make_shared<std::string>();  // shared with the callback that CLI11 keeps
  CLI::App* command = app.add_subcommand("model", "What is served, and what it takes");
  command->add_option("name", *name, "Name or digest (default: the active one)");
  command->callback(
      [name, &chosen] { chosen = [name](Session& session) { return RunModel(*name, session); }; });
}

}  // namespace hydra::cli
