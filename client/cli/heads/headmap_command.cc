#include "client/cli/heads/headmap_command.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/terminal/json.h"
#include "client/terminal/table.h"

namespace hydra::cli {
namespace {

using terminal::Printable;
using terminal::Table;

constexpr size_t kShownEffects = 10;
constexpr uint32_t kMaxShownHeads = 256;  // a server's number is not trusted with memory

struct HeadmapFlags {
  std::string model;
  std::vector<uint32_t> layers;
};

// One character a head: "#" kept, "." not.
std::string HeadRow(const v1::MemberHeads& member, uint32_t heads) {
  std::string row(std::min(heads, kMaxShownHeads), '.');
  for (const uint32_t head : member.kept()) {
    if (head < row.size()) row[head] = '#';
  }
  return row;
}

// "0 0 1": members with the same number are computed once.
std::string StreamRow(const v1::LayerHeads& layer) {
  return absl::StrJoin(layer.members(), " ", [](std::string* out, const v1::MemberHeads& member) {
    absl::StrAppend(out, member.stream());
  });
}

std::string Picture(const v1::GetHeadMapResponse& map) {
  std::vector<Table::Column> columns = {{"layer", terminal::Align::kRight}};
  size_t members = 0;
  for (const v1::LayerHeads& layer : map.layers()) {
    members = std::max(members, static_cast<size_t>(layer.members_size()));
  }
  for (size_t m = 0; m < members; ++m) columns.push_back({absl::StrCat("member ", m)});
  columns.push_back({"streams"});
  columns.push_back({"shared"});
  Table table(std::move(columns));
  for (const v1::LayerHeads& layer : map.layers()) {
    std::vector<std::string> cells = {absl::StrCat(layer.layer())};
    for (const v1::MemberHeads& member : layer.members()) {
      cells.push_back(HeadRow(member, map.heads()));
    }
    cells.resize(1 + members);
    cells.push_back(StreamRow(layer));
    cells.push_back(absl::StrCat(layer.shared_mlp() ? "mlp" : "",
                                 layer.shared_mlp() && layer.shared_norms() ? "+" : "",
                                 layer.shared_norms() ? "norms" : ""));
    table.AddRow(std::move(cells));
  }
  return table.ToString();
}

std::string Overlaps(const v1::GetHeadMapResponse& map) {
  Table table({{"members"},
               {"heads in both", terminal::Align::kRight},
               {"in either", terminal::Align::kRight},
               {"Jaccard", terminal::Align::kRight}});
  for (const v1::MemberOverlap& overlap : map.overlaps()) {
    table.AddRow({absl::StrCat(overlap.first(), " and ", overlap.second()),
                  absl::StrCat(overlap.shared()), absl::StrCat(overlap.total()),
                  absl::StrFormat("%.3f", overlap.jaccard())});
  }
  return table.ToString();
}

// One character a head: "A" for cluster 0, "?" where it is not known.
std::string ClusterRow(const v1::LayerHeads& layer, uint32_t heads) {
  std::string row(std::min(heads, kMaxShownHeads), '?');
  for (const v1::HeadFacts& facts : layer.heads()) {
    if (facts.head() >= row.size() || !facts.has_cluster()) continue;
    row[facts.head()] = facts.cluster() < 26 ? static_cast<char>('A' + facts.cluster()) : '+';
  }
  return row;
}

std::string Clusters(const v1::GetHeadMapResponse& map) {
  Table table({{"layer", terminal::Align::kRight}, {"cluster"}});
  for (const v1::LayerHeads& layer : map.layers()) {
    table.AddRow({absl::StrCat(layer.layer()), ClusterRow(layer, map.heads())});
  }
  const v1::HeadClustering& clustering = map.clustering();
  return absl::StrFormat(
      "\n%s\n%d clusters of what heads look at over %d inputs: Davies-Bouldin "
      "%.3f, silhouette %.3f\n",
      table.ToString(), clustering.representatives_size(), clustering.inputs(),
      clustering.davies_bouldin(), clustering.silhouette());
}

struct RatedHead {
  uint32_t layer = 0;
  const v1::HeadFacts* facts = nullptr;
};

// The heads that the base misses most.
std::string Effects(const v1::GetHeadMapResponse& map) {
  std::vector<RatedHead> heads;
  for (const v1::LayerHeads& layer : map.layers()) {
    for (const v1::HeadFacts& facts : layer.heads()) {
      if (facts.has_effect()) heads.push_back({layer.layer(), &facts});
    }
  }
  std::stable_sort(heads.begin(), heads.end(), [](const RatedHead& a, const RatedHead& b) {
    return a.facts->effect().nll_change_nats() > b.facts->effect().nll_change_nats();
  });
  Table table({{"layer", terminal::Align::kRight},
               {"head", terminal::Align::kRight},
               {"NLL without it", terminal::Align::kRight},
               {"accuracy without it", terminal::Align::kRight}});
  for (size_t i = 0; i < std::min(heads.size(), kShownEffects); ++i) {
    const v1::HeadEffect& effect = heads[i].facts->effect();
    table.AddRow({absl::StrCat(heads[i].layer), absl::StrCat(heads[i].facts->head()),
                  absl::StrFormat("%+.4f", effect.nll_change_nats()),
                  absl::StrFormat("%+.2f %%", 100.0 * effect.accuracy_change())});
  }
  return absl::StrFormat("\n%s\nof the base on %d inputs: NLL %.4f, accuracy %.2f %%\n",
                         table.ToString(), map.effect_basis().inputs(),
                         map.effect_basis().nll_nats(), 100.0 * map.effect_basis().accuracy());
}

std::string ProvenanceText(const v1::HeadProvenance& provenance) {
  if (provenance.method().empty()) return "";
  std::string text = absl::StrCat("\nheads chosen by ", Printable(provenance.method()), ", seed ",
                                  provenance.seed());
  const std::pair<const char*, const std::string&> digests[] = {{"base", provenance.base_digest()},
                                                                {"data", provenance.data_digest()}};
  for (const auto& [name, digest] : digests) {
    if (!digest.empty()) absl::StrAppend(&text, ", ", name, " ", Printable(digest.substr(0, 12)));
  }
  return text + "\n";
}

std::string HeadmapText(const v1::GetHeadMapResponse& map) {
  std::string text =
      absl::StrFormat("%s: %d members, %d heads in each layer; # kept, . not\n\n%s",
                      Printable(map.model().name()), map.members(), map.heads(), Picture(map));
  if (!map.overlaps().empty()) absl::StrAppend(&text, "\n", Overlaps(map));
  if (map.has_clustering()) absl::StrAppend(&text, Clusters(map));
  if (map.has_effect_basis()) absl::StrAppend(&text, Effects(map));
  absl::StrAppend(&text, ProvenanceText(map.provenance()));
  return text;
}

ExitCode RunHeadmap(const HeadmapFlags& flags, Session& session) {
  const auto map = session.client().GetHeadMap(flags.model, flags.layers);
  if (!map.ok()) return session.Refused(map.status());
  session.out() << (session.format() == Format::kJson ? terminal::JsonLine(terminal::ToJson(*map))
                                                      : HeadmapText(*map));
  return ExitCode::kOk;
}

}  // namespace

void AddHeadmapCommand(CLI::App& app, Command& chosen) {
  auto flags = std::make_shared<HeadmapFlags>();  // shared with the callback that CLI11 keeps
  CLI::App* command = app.add_subcommand("headmap", "Which heads each member kept");
  command->add_option("--model", flags->model, "Name or digest (default: the active one)");
  command->add_option("--layer", flags->layers, "Layers to show: 0,1,5 (default: all)")
      ->delimiter(',');
  command->callback([flags, &chosen] {
    chosen = [flags](Session& session) { return RunHeadmap(*flags, session); };
  });
}

}  // namespace hydra::cli
