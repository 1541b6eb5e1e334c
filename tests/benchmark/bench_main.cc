// hydra-bench: speed and cost, as ratios from one run.
#include <iostream>

#include "CLI/CLI.hpp"
#include "tests/benchmark/engine_bench.h"

int main(int argc, char** argv) {
  CLI::App app{"hydra-bench: speed and cost of the engine, as ratios from one run"};
  app.require_subcommand(1);
  hydra::benchmark::EngineOptions options;
  CLI::App* engine =
      app.add_subcommand("engine", "one forward pass: single model, deep ensemble, Hydra");
  engine->add_option("--geometry", options.geometry, "vit-base-16, vit-small-16 or fashion-mnist")
      ->capture_default_str();
  engine->add_option("--bundle", options.bundle,
                     "time this bundle's network instead of random parameters");
  engine->add_option("--batches", options.batches, "batch sizes")
      ->delimiter(',')
      ->capture_default_str();
  engine->add_option("--members", options.members, "members of random parameters")
      ->capture_default_str();
  engine
      ->add_option("--keep", options.keep,
                   "heads per layer and member of random parameters; 0: two thirds")
      ->capture_default_str();
  engine->add_option("--rounds", options.rounds, "rounds; every round times each model once")
      ->capture_default_str();
  engine->add_option("--threads", options.threads, "threads of LibTorch")->capture_default_str();
  engine->add_option("--numerics", options.numerics, "float32 or bfloat16")->capture_default_str();
  engine->add_flag("--json", options.json, "one JSON object a line");
  CLI11_PARSE(app, argc, argv);
  const absl::Status status = hydra::benchmark::RunEngineBench(options);
  if (status.ok()) return 0;
  std::cerr << "hydra-bench: " << status.message() << "\n";
  return 1;
}
