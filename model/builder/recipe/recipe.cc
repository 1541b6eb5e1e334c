#include "model/builder/recipe/recipe.h"

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "model/base/file.h"
#include "model/base/status_macros.h"
#include "model/builder/source/data_spec.h"
#include "model/yaml/yaml_section.h"

namespace hydra::builder {
namespace {

using yaml::YamlSection;

constexpr size_t kMaxRecipeBytes = size_t{1} << 20;
constexpr std::pair<const char*, DataKind> kKinds[] = {{"idx", DataKind::kIdx},
                                                       {"image_folder", DataKind::kImageFolder},
                                                       {"csv", DataKind::kCsv},
                                                       {"jsonl", DataKind::kJsonLines}};

// Whether a set is near the data.
constexpr std::pair<const char*, bool> kDistances[] = {{"near", true}, {"far", false}};

void ReadFields(YamlSection section, const std::vector<OptionField>& fields) {
  for (const OptionField& field : fields) {
    std::visit([&](auto* target) { section.Read(field.name, *target); }, field.target);
  }
}

std::string Absolute(const std::string& path, const std::string& folder) {
  if (path.empty() || path[0] == '/') return path;
  return (std::filesystem::path(folder) / path).lexically_normal().string();
}

// {kind, images, labels, path, limit} -> the text that steps take; empty if the section is absent.
std::string ReadDataSpec(YamlSection parent, const std::string& key, const std::string& folder) {
  if (!parent.Has(key)) return "";
  YamlSection section = parent.Section(key);
  DataSpec spec;
  section.ReadChoice("kind", spec.kind, absl::Span<const std::pair<const char*, DataKind>>(kKinds));
  const bool idx = spec.kind == DataKind::kIdx;
  const char* path_key = idx ? "images" : "path";
  section.Read(path_key, spec.path);
  if (idx) section.Read("labels", spec.labels);
  section.Read("limit", spec.limit);
  if (spec.path.empty()) section.Complain(path_key, "missing, want a path");
  spec.path = Absolute(spec.path, folder);
  spec.labels = Absolute(spec.labels, folder);
  return FormatDataSpec(spec);
}

void ReadData(YamlSection section, const std::string& folder, DataOptions& data) {
  data.data = ReadDataSpec(section, "pool", folder);
  if (data.data.empty()) section.Complain("pool", "missing, want the training pool");
  data.test = ReadDataSpec(section, "test", folder);
  section.Read("label_names", data.label_names);
  section.Read("match_labels", data.match_labels);
  section.Read("classes", data.classes);
  section.Read("held_out_classes", data.held_out_classes);
  YamlSection ood = section.Section("ood");
  for (const std::string& name : ood.Keys()) {
    data.ood.push_back(absl::StrCat(name, "=", ReadDataSpec(ood, name, folder)));
    bool near = false;
    ood.Section(name).ReadChoice("distance", near,
                                 absl::Span<const std::pair<const char*, bool>>(kDistances));
    if (near) data.near_ood.push_back(name);
  }
  YamlSection splits = section.Section("splits");
  splits.Read("select", data.splits.select);
  splits.Read("fit", data.splits.fit);
  splits.Read("path", data.splits.path);
  splits.Read("certify", data.splits.certify);
  splits.Read("conformal", data.splits.conformal);
  splits.Read("seed", data.split_seed);
}

void ReadZeroShot(YamlSection root, const std::string& folder, Recipe& recipe) {
  if (root.Has("prompts")) {
    ReadFields(root.Section("prompts"), Fields(recipe.prompts.emplace()));
    recipe.prompts->names_file = Absolute(recipe.prompts->names_file, folder);
  }
  if (root.Has("zeroshot")) ReadFields(root.Section("zeroshot"), Fields(recipe.zeroshot.emplace()));
  if (!root.Has("align")) return;
  ReadFields(root.Section("align"), Fields(recipe.align.emplace()));
  recipe.align->text = Absolute(recipe.align->text, folder);
  if (!recipe.prompts.has_value()) recipe.prompts.emplace();
}

void ReadBases(YamlSection root, const std::string& folder, Recipe& recipe) {
  root.Read("base", recipe.base);
  recipe.base = Absolute(recipe.base, folder);
  const int given = (recipe.base.empty() ? 0 : 1) + root.Has("train") + root.Has("align");
  if (given != 1) root.Complain("base", "want one of base (a checkpoint), train and align");
  ReadFields(root.Section("train"), Fields(recipe.train));
  recipe.train.base = Absolute(recipe.train.base, folder);
  ReadZeroShot(root, folder, recipe);
  root.Read("wrap", recipe.wrap);
  YamlSection compare = root.Section("compare");
  compare.Read("deep_ensemble_seeds", recipe.deep_ensemble_seeds);
  compare.Read("deep_ensemble", recipe.deep_ensemble);
  compare.Read("random_masks", recipe.random_masks);
  for (std::string& path : recipe.deep_ensemble) path = Absolute(path, folder);
  if (!recipe.deep_ensemble_seeds.empty() && !root.Has("train")) {
    compare.Complain("deep_ensemble_seeds", "needs train, which says how they are trained");
  }
}

}  // namespace

absl::StatusOr<Recipe> ParseRecipe(absl::string_view text, const std::string& source,
                                   const std::string& folder) {
  HYDRA_ASSIGN_OR_RETURN(YamlSection root, YamlSection::Parse(text, source));
  Recipe recipe{.text = std::string(text)};
  ReadData(root.Section("data"), folder, recipe.data);
  ReadBases(root, folder, recipe);
  ReadFields(root.Section("score"), Fields(recipe.score));
  recipe.score.saper.clusters = Absolute(recipe.score.saper.clusters, folder);
  ReadFields(root.Section("select"), Fields(recipe.select));
  ReadFields(root.Section("finetune"), Fields(recipe.finetune));
  ReadFields(root.Section("merge"), Fields(recipe.merge));
  ReadFields(root.Section("calibrate"), Fields(recipe.calibrate));
  ReadFields(root.Section("evaluate"), Fields(recipe.evaluate));
  if (root.Has("interpret")) {
    ReadFields(root.Section("interpret"), Fields(recipe.interpret.emplace()));
  }
  ReadFields(root.Section("pack"), Fields(recipe.pack));
  HYDRA_RETURN_IF_ERROR(root.Finish());
  if (recipe.prompts.has_value()) HYDRA_RETURN_IF_ERROR(ReadNamesFile(*recipe.prompts));
  return recipe;
}

absl::StatusOr<Recipe> ReadRecipe(const std::string& path) {
  HYDRA_ASSIGN_OR_RETURN(const std::string text, base::ReadFile(path, kMaxRecipeBytes));
  const std::string folder = std::filesystem::absolute(path).parent_path().string();
  return ParseRecipe(text, path, folder);
}

}  // namespace hydra::builder
