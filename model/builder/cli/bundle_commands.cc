#include <cstdio>

#include "model/base/file.h"
#include "model/base/status_macros.h"
#include "model/builder/cli/command.h"
#include "model/builder/cli/given.h"
#include "model/builder/packing/bundle_report.h"
#include "model/builder/packing/inspect_step.h"
#include "model/builder/packing/pack_step.h"
#include "model/builder/packing/verify_step.h"

namespace hydra::builder {
namespace {

struct PackGiven {
  DataOptions data;
  PackStepOptions options;
  PackInputs inputs;
  std::string out;
};

struct BundleGiven {
  std::string bundle;
  bool json = false;
};

struct ReportGiven {
  std::string bundle;
  ReportSources sources;
  std::string out;
};

void AddPack(CLI::App& app, Action& action) {
  AddCommand<PackGiven>(
      app, action, {"pack", "put everything into one bundle and verify it"},
      [](CLI::App& command, PackGiven& given) {
        AddFlags(command, Fields(given.data));
        AddFlags(command, Fields(given.options));
        command.add_option("--network", given.inputs.network, "output of merge, or a checkpoint")
            ->required();
        command.add_option("--calibration", given.inputs.calibration, "output of calibrate")
            ->required();
        command.add_option("--heads", given.inputs.heads, "output of select");
        command.add_option("--evaluation", given.inputs.evaluation, "output of evaluate");
        command.add_option("--interpretation", given.inputs.interpretation, "output of interpret");
        AddOut(command, given.out, "directory of the bundle");
      },
      [](const PackGiven& given, StepContext context) {
        return RunPack(given.data, given.options, given.inputs, given.out, context);
      });
}

absl::Status Inspect(const BundleGiven& given) {
  HYDRA_ASSIGN_OR_RETURN(const artifact::Bundle bundle, artifact::Bundle::Open(given.bundle));
  if (!given.json) {
    std::fputs(DescribeBundle(bundle).c_str(), stdout);
    return absl::OkStatus();
  }
  HYDRA_ASSIGN_OR_RETURN(const std::string text, DescribeBundleJson(bundle));
  std::fputs(text.c_str(), stdout);
  return absl::OkStatus();
}

absl::Status Report(const ReportGiven& given) {
  HYDRA_ASSIGN_OR_RETURN(const artifact::Bundle bundle, artifact::Bundle::Open(given.bundle));
  const artifact::BundleDocuments documents{.manifest = bundle.manifest(),
                                            .calibration = bundle.calibration(),
                                            .labels = bundle.labels(),
                                            .head_map = bundle.head_map()};
  HYDRA_ASSIGN_OR_RETURN(const std::string page, RenderBundleReport(documents, given.sources));
  return base::WriteFileAtomically(given.out, page);
}

}  // namespace

void AddBundleCommands(CLI::App& app, Action& action) {
  AddPack(app, action);
  AddCommand<BundleGiven>(
      app, action, {"verify", "check hashes and replay the golden answers of a bundle"},
      [](CLI::App& command, BundleGiven& given) {
        command.add_option("bundle", given.bundle, "bundle directory or .tar")->required();
      },
      [](const BundleGiven& given, StepContext context) {
        return VerifyBundle(given.bundle, context);
      });
  AddCommand<BundleGiven>(
      app, action, {"inspect", "say what a bundle is"},
      [](CLI::App& command, BundleGiven& given) {
        command.add_option("bundle", given.bundle, "bundle directory or .tar")->required();
        command.add_flag("--json", given.json, "for programs");
      },
      [](const BundleGiven& given, StepContext) { return Inspect(given); });
  AddCommand<ReportGiven>(
      app, action, {"report", "write the report page of a bundle"},
      [](CLI::App& command, ReportGiven& given) {
        command.add_option("bundle", given.bundle, "bundle directory or .tar")->required();
        command.add_option("--evaluation", given.sources.evaluation, "output of evaluate");
        command.add_option("--interpretation", given.sources.interpretation,
                           "output of interpret, for its maps");
        AddOut(command, given.out, "HTML file");
      },
      [](const ReportGiven& given, StepContext) { return Report(given); });
}

}  // namespace hydra::builder
