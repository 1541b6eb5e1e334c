#include "tests/benchmark/engine_bench.h"

#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "model/artifact/bundle.h"
#include "model/base/rng.h"
#include "model/base/status_macros.h"
#include "model/ensemble/add_readers.h"
#include "model/ensemble/bundle_weights.h"
#include "model/ensemble/cost.h"
#include "model/ensemble/merge.h"
#include "model/ensemble/prune.h"
#include "model/importance/selection.h"
#include "model/runtime/network_predictor.h"
#include "model/train/trainer.h"
#include "tests/benchmark/paired_timer.h"

namespace hydra::benchmark {
namespace {

struct Contender {
  std::string name;
  size_t passes = 1;  // forward passes of `predictor` for one answer
  uint64_t macs = 0;  // of one pass
  ensemble::Cost cost;
  std::unique_ptr<runtime::Predictor> predictor;
};

absl::StatusOr<artifact::Geometry> NamedGeometry(const std::string& name) {
  const std::map<std::string, artifact::Geometry> known = {
      {"vit-base-16",
       {.layers = 12,
        .width = 768,
        .heads = 12,
        .head_width = 64,
        .mlp_width = 3072,
        .classes = 1000}},
      {"vit-small-16",
       {.layers = 12,
        .width = 384,
        .heads = 6,
        .head_width = 64,
        .mlp_width = 1536,
        .classes = 1000}},
      {"fashion-mnist",
       {.layers = 6, .width = 96, .heads = 8, .head_width = 12, .mlp_width = 192, .classes = 10}}};
  const auto found = known.find(name);
  if (found == known.end()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "geometry: got \"", name, "\", want vit-base-16, vit-small-16 or fashion-mnist"));
  }
  artifact::Geometry geometry = found->second;
  const bool small = name == "fashion-mnist";
  geometry.activation = "gelu";
  geometry.layer_norm_epsilon = 1e-12;
  geometry.image_height = geometry.image_width = small ? 28 : 224;
  geometry.channels = small ? 1 : 3;
  geometry.patch_size = small ? 4 : 16;
  return geometry;
}

absl::StatusOr<nn::Network> RandomHydra(const nn::Network& single, const EngineOptions& options) {
  const artifact::Geometry& geometry = single.geometry;
  const size_t keep = options.keep != 0 ? options.keep : geometry.heads * 2 / 3;
  HYDRA_ASSIGN_OR_RETURN(
      const importance::MemberHeads kept,
      importance::RandomHeads(options.members, geometry.layers, geometry.heads, keep, /*seed=*/0));
  std::vector<nn::Network> members;
  for (const auto& heads : kept) {
    HYDRA_ASSIGN_OR_RETURN(members.emplace_back(), ensemble::PruneHeads(single, heads));
  }
  return ensemble::MergeMembers(members, {});
}

using Networks = std::vector<std::pair<std::string, nn::Network>>;

// Ensembles of a single model in the ways that members can share it.
absl::StatusOr<Networks> RandomEnsembles(const nn::Network& single, const EngineOptions& options) {
  const size_t members = options.members, layers = single.geometry.layers;
  const std::string of = absl::StrCat(" of ", members);
  Networks networks;
  HYDRA_ASSIGN_OR_RETURN(nn::Network hydra, RandomHydra(single, options));
  networks.emplace_back("hydra" + of, std::move(hydra));
  HYDRA_ASSIGN_OR_RETURN(nn::Network branch,
                         ensemble::MergeMembers(std::vector<nn::Network>(members, single),
                                                {.mlp = ensemble::MergePart::kPerMember,
                                                 .norms = ensemble::MergePart::kPerMember,
                                                 .split_from = layers - 1}));
  networks.emplace_back("last layer" + of, std::move(branch));
  const std::vector<std::pair<size_t, std::string>> readers = {
      {3, "tied"}, {3, "own"}, {layers, "tied"}, {layers, "own"}};
  for (const auto& [depth, mlp] : readers) {
    HYDRA_ASSIGN_OR_RETURN(
        nn::Network network,
        ensemble::AddReaders(single, {.members = members, .layers = depth, .mlp = mlp}));
    networks.emplace_back(absl::StrCat("readers", of, ", ", depth, " ", mlp), std::move(network));
  }
  return networks;
}

absl::StatusOr<Networks> NetworksToTime(const EngineOptions& options) {
  if (options.bundle.empty()) {
    HYDRA_ASSIGN_OR_RETURN(const artifact::Geometry geometry, NamedGeometry(options.geometry));
    return RandomEnsembles(train::RandomNetwork(geometry, 1, /*seed=*/0), options);
  }
  HYDRA_ASSIGN_OR_RETURN(const artifact::Bundle bundle, artifact::Bundle::Open(options.bundle));
  HYDRA_ASSIGN_OR_RETURN(nn::Network network,
                         ensemble::DecodeWeights(bundle.manifest(), bundle.weights()));
  return Networks{{absl::StrCat("bundle of ", network.members), std::move(network)}};
}

absl::StatusOr<std::vector<Contender>> MakeContenders(const EngineOptions& options) {
  if (options.numerics != "float32" && options.numerics != "bfloat16") {
    return absl::InvalidArgumentError(
        absl::StrCat("numerics: got \"", options.numerics, "\", want float32 or bfloat16"));
  }
  HYDRA_ASSIGN_OR_RETURN(const Networks networks, NetworksToTime(options));
  const nn::Network& first = networks.front().second;
  const nn::Network single = train::RandomNetwork(
      first.geometry, static_cast<size_t>(first.weights.prefix.size(0)), /*seed=*/0);
  const ensemble::Cost cost = ensemble::CostOf(single);
  const runtime::PredictorOptions predictor{.threads = options.threads,
                                            .numerics = options.numerics == "bfloat16"
                                                            ? runtime::Numerics::kBFloat16
                                                            : runtime::Numerics::kFloat32};
  runtime::PredictorOptions plain = predictor;
  plain.every_token = true;
  std::vector<Contender> contenders(3);
  contenders[0] = {.name = "single, every token", .macs = cost.plain_macs, .cost = cost};
  contenders[1] = {.name = "single", .macs = cost.macs, .cost = cost};
  contenders[2] = {.name = absl::StrCat("deep ensemble of ", first.members),
                   .passes = first.members,
                   .macs = cost.plain_macs,
                   .cost = cost};
  for (Contender& contender : contenders) {
    HYDRA_ASSIGN_OR_RETURN(
        contender.predictor,
        runtime::MakePredictor(single, &contender == &contenders[1] ? predictor : plain));
  }
  for (const auto& [name, network] : networks) {
    Contender& contender =
        contenders.emplace_back(Contender{.name = name, .cost = ensemble::CostOf(network)});
    contender.macs = contender.cost.macs;
    HYDRA_ASSIGN_OR_RETURN(contender.predictor, runtime::MakePredictor(network, predictor));
  }
  return contenders;
}

void PrintRow(const EngineOptions& options, size_t batch, const Contender& contender,
              const Spread& time, const Spread& ratio) {
  const double inputs = static_cast<double>(batch), passes = static_cast<double>(contender.passes);
  const double gmacs = passes * static_cast<double>(contender.macs) * 1e-9;
  const double mib = passes * static_cast<double>(contender.cost.weight_bytes) / (1 << 20);
  if (options.json) {
    std::cout << absl::StrFormat(
        "{\"batch\": %d, \"model\": \"%s\", \"cpu_ms_per_input\": %.4f, \"ratio\": %.3f, "
        "\"ratio_p10\": %.3f, "
        "\"ratio_p90\": %.3f, \"gmacs\": %.4f, \"weight_mib\": %.2f, \"numerics\": \"%s\", "
        "\"threads\": %d}\n",
        batch, contender.name, time.median / inputs, ratio.median, ratio.low, ratio.high, gmacs,
        mib, options.numerics, options.threads);
    return;
  }
  std::cout << absl::StrFormat("%5d  %-24s %10.3f   %5.2f [%4.2f, %4.2f] %9.3f %9.1f\n", batch,
                               contender.name, time.median / inputs, ratio.median, ratio.low,
                               ratio.high, gmacs, mib);
}

absl::Status TimeBatch(const EngineOptions& options, size_t batch,
                       std::vector<Contender>& contenders) {
  const size_t row_values = contenders[0].predictor->shape().row_values;
  base::Rng rng(0);
  std::vector<float> rows(batch * row_values);
  for (float& value : rows) value = static_cast<float>(rng.Normal());
  absl::Status failure;
  std::vector<std::function<void()>> bodies;
  for (Contender& contender : contenders) {
    bodies.push_back([&contender, &rows, &failure, batch] {
      for (size_t pass = 0; pass < contender.passes; ++pass) {
        failure.Update(contender.predictor->Run(rows, batch).status());
      }
    });
  }
  const PairedTimes times = TimeInTurn(bodies, options.rounds);
  HYDRA_RETURN_IF_ERROR(failure);
  for (size_t i = 0; i < contenders.size(); ++i) {
    PrintRow(options, batch, contenders[i], times.milliseconds[i], times.ratios[i]);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RunEngineBench(const EngineOptions& options) {
  HYDRA_ASSIGN_OR_RETURN(std::vector<Contender> contenders, MakeContenders(options));
  if (!options.json) {
    std::cout
        << "CPU time in ms per input; ratio to the single model with every token in the same "
           "round, median [p10, "
           "p90] of "
        << options.rounds << " rounds; " << options.threads << " thread(s), " << options.numerics
        << "\n"
        << "batch  model                     ms/input   ratio              GMAC/in  weights MiB\n";
  }
  for (const size_t batch : options.batches) {
    HYDRA_RETURN_IF_ERROR(TimeBatch(options, batch, contenders));
  }
  return absl::OkStatus();
}

}  // namespace hydra::benchmark
