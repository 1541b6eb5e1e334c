// Which data a step uses and how the training pool is split.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/builder/options/option_field.h"
#include "model/data/split_plan.h"

namespace hydra::builder {

// Data are named by specifications: "idx:IMAGES,LABELS", "idx:IMAGES" (no labels),
// "image_folder:DIR", "csv:FILE" or "jsonl:FILE"; "KIND:...;limit=N" takes the first N items.
struct DataOptions {
  std::string data;                      // the training pool
  std::string test;                      // used by evaluate --final only
  std::vector<std::string> ood;          // "NAME=SPEC" each
  std::vector<std::string> label_names;  // empty: the data's own, else "0", "1", ...
  std::vector<std::string> near_ood;     // names of the OOD sets near the data; others are far
  std::string match_labels = "name";     // or "order", see MatchLabels
  std::vector<std::string> classes;      // rows of other classes are left out; empty: all classes
  // Never trained on; of the test set they are the near OOD set "held_out_classes".
  std::vector<std::string> held_out_classes;
  data::SplitSizes splits;
  size_t split_seed = 0;
};

std::vector<OptionField> Fields(DataOptions& options);

}  // namespace hydra::builder
