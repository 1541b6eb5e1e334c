#include "model/builder/interpreting/interpret_step.h"

#include <ATen/Parallel.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "model/base/rng.h"
#include "model/base/status_detail.h"
#include "model/base/status_macros.h"
#include "model/builder/files/step_directory.h"
#include "model/builder/interpreting/gallery_maps.h"
#include "model/builder/interpreting/head_effects.h"
#include "model/builder/interpreting/head_features.h"
#include "model/builder/interpreting/interpretation.h"
#include "model/builder/networks/stored_network.h"
#include "model/builder/source/pool.h"
#include "model/interpret/head_clusters.h"

namespace hydra::builder {
namespace {

constexpr size_t kMaxMaps = 64;

absl::StatusOr<std::vector<size_t>> ChosenRows(const Pool& pool,
                                               const InterpretStepOptions& options) {
  const std::vector<size_t>& select = pool.Rows("select");
  if (options.images < 2 || options.images > select.size()) {
    return absl::InvalidArgumentError(absl::StrCat("images: got ", options.images, ", want 2..",
                                                   select.size(), ", the rows of select"));
  }
  if (options.maps > kMaxMaps) {
    return absl::InvalidArgumentError(
        absl::StrCat("maps: got ", options.maps, ", want 0..", kMaxMaps));
  }
  const std::vector<size_t> order =
      base::Rng::ForPurpose(options.seed, "interpret rows").Permutation(select.size());
  std::vector<size_t> rows;
  for (size_t i = 0; i < options.images; ++i) rows.push_back(select[order[i]]);
  return rows;
}

// What is looked at.
struct Subject {
  const StoredNetwork& base;
  const Pool& pool;
  std::vector<size_t> rows;  // of the pool
};

RowProgress ProgressOf(absl::string_view what, size_t rows, StepContext context) {
  return [what, rows, context, start = context.clock.MonotonicNow()](size_t done) {
    const absl::Duration taken = context.clock.MonotonicNow() - start;
    const absl::Duration left =
        taken * (static_cast<double>(rows - done) / static_cast<double>(done));
    context.console.Progress(absl::StrFormat("interpret  %s %d/%d", what, done, rows), left);
  };
}

absl::Status Cluster(const Subject& subject, const InterpretStepOptions& options,
                     Interpretation& out, StepContext context) {
  HYDRA_ASSIGN_OR_RETURN(const interpret::Affinity affinity,
                         interpret::ParseAffinity(options.affinity));
  HYDRA_ASSIGN_OR_RETURN(
      const std::vector<double> features,
      HeadFeatures(subject.base.network, subject.pool.data.examples, subject.rows,
                   ProgressOf("attention of", subject.rows.size(), context)));
  HYDRA_ASSIGN_OR_RETURN(
      interpret::HeadClusters clusters,
      interpret::ClusterHeads(
          features, {.layers = out.layers, .heads = out.heads},
          {.clusters = options.clusters, .affinity = affinity, .seed = options.seed}));
  out.clusters = std::move(clusters.ids);
  out.clustering = {.davies_bouldin = clusters.davies_bouldin,
                    .silhouette = clusters.silhouette,
                    .inputs = subject.rows.size(),
                    .affinity = options.affinity};
  for (const auto& [layer, head] : clusters.representatives) {
    out.clustering.representatives.push_back({.layer = layer, .head = head});
  }
  if (clusters.degenerate) out.choices["interpret_clusters_degenerate"] = "true";
  context.console.Line(
      absl::StrFormat("interpret  %d clusters, Davies-Bouldin %.3f, silhouette %.3f",
                      options.clusters, clusters.davies_bouldin, clusters.silhouette));
  return absl::OkStatus();
}

// Writes the pictures of one input; false when the input is too short for a map.
absl::StatusOr<bool> WriteInput(const StoredNetwork& base, const train::ExampleSet& examples,
                                size_t row, const Gallery& gallery, StepDirectory& directory) {
  const auto maps = MapPictures(base, examples, row, gallery.heads);
  if (base::ReasonOf(maps.status()) == "TOO_FEW_TOKENS") return false;
  HYDRA_RETURN_IF_ERROR(maps.status());
  const size_t input = gallery.inputs.size();
  for (size_t j = 0; j < maps->size(); ++j) {
    HYDRA_RETURN_IF_ERROR(directory.Write(MapFile(input, j), (*maps)[j]));
  }
  if (!gallery.pictures) return true;
  HYDRA_ASSIGN_OR_RETURN(const std::string picture, InputPicture(examples, row));
  HYDRA_RETURN_IF_ERROR(directory.Write(PictureFile(input), picture));
  return true;
}

absl::Status WriteGallery(const Subject& subject, size_t count, Gallery& gallery,
                          StepDirectory& directory) {
  const Pool& pool = subject.pool;
  const train::ExampleSet& examples = pool.data.examples;
  gallery.pictures = !examples.texts();
  for (const size_t row : subject.rows) {
    if (gallery.inputs.size() == count) break;
    HYDRA_ASSIGN_OR_RETURN(const bool written,
                           WriteInput(subject.base, examples, row, gallery, directory));
    const auto label = examples.labels[static_cast<int64_t>(row)].item<int64_t>();
    if (written) gallery.inputs.push_back(pool.classes[static_cast<size_t>(label)]);
  }
  return absl::OkStatus();
}

}  // namespace

std::vector<OptionField> Fields(InterpretStepOptions& options) {
  return {
      {"clusters", &options.clusters, "clusters of heads"},
      {"images", &options.images, "images or texts of select that are looked at"},
      {"affinity", &options.affinity,
       "weight of a correlation r: shifted, (1 + r) / 2, or positive, max(r, 0)"},
      {"effects", &options.effects, "measure what the base loses without each head"},
      {"maps", &options.maps, "inputs whose Laplace maps the report shows"},
      {"seed", &options.seed, "seed of the rows and of the clusters"},
  };
}

absl::Status RunInterpret(const DataOptions& data, const InterpretStepOptions& options,
                          const std::string& base, const std::string& out, StepContext context) {
  at::set_num_threads(static_cast<int>(context.threads));
  HYDRA_ASSIGN_OR_RETURN(StepDirectory directory, StepDirectory::Create(out));
  HYDRA_ASSIGN_OR_RETURN(const StoredNetwork stored, ReadNetwork(base));
  HYDRA_ASSIGN_OR_RETURN(const Pool pool, LoadPool(data, stored.inputs, stored.labels));
  Subject subject{.base = stored, .pool = pool};
  HYDRA_ASSIGN_OR_RETURN(subject.rows, ChosenRows(pool, options));
  Interpretation interpretation{.layers = stored.network.geometry.layers,
                                .heads = stored.network.geometry.heads};
  interpretation.choices["interpret_images"] = absl::StrCat(options.images);
  interpretation.choices["interpret_seed"] = absl::StrCat(options.seed);
  interpretation.choices["interpret_select_digest"] = pool.Describe("select").digest;
  HYDRA_RETURN_IF_ERROR(Cluster(subject, options, interpretation, context));
  if (options.effects) {
    HYDRA_ASSIGN_OR_RETURN(
        interpretation.effects,
        MeasureHeadEffects(stored.network, pool.data.examples, subject.rows,
                           ProgressOf("effects on", subject.rows.size(), context)));
  }
  interpretation.gallery.heads = interpretation.clustering.representatives;
  HYDRA_RETURN_IF_ERROR(WriteGallery(subject, options.maps, interpretation.gallery, directory));
  HYDRA_RETURN_IF_ERROR(directory.Write(kInterpretFile, EncodeInterpretation(interpretation)));
  return directory.Commit();
}

}  // namespace hydra::builder
