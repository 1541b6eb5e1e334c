#include "model/report/heads/head_views.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "model/base/status_macros.h"
#include "model/report/markup.h"

namespace hydra::report {
namespace {

using artifact::HeadMap;
using artifact::HeadPlace;

constexpr size_t kClusterColours = 6;  // of report.css
constexpr size_t kShownEffects = 10;

std::string Letter(size_t cluster) {
  return cluster < 26 ? std::string(1, static_cast<char>('A' + cluster)) : absl::StrCat(cluster);
}

std::string Name(const HeadPlace& place) {
  return absl::StrCat("layer ", place.layer, ", head ", place.head);
}

// A table of layers x heads whose cells `cell` makes.
std::string HeadTable(const HeadMap& map,
                      const std::function<std::string(size_t layer, size_t head)>& cell) {
  std::string html = "<div class=\"wide\"><table class=\"heads\"><thead><tr><th>Layer</th>";
  for (size_t h = 0; h < map.heads; ++h) absl::StrAppend(&html, "<th scope=\"col\">", h, "</th>");
  html += "</tr></thead><tbody>\n";
  for (size_t l = 0; l < map.layers; ++l) {
    absl::StrAppend(&html, "<tr><th scope=\"row\">", l, "</th>");
    for (size_t h = 0; h < map.heads; ++h) html += cell(l, h);
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

bool IsRepresentative(const HeadMap& map, const HeadPlace& place) {
  if (!map.clustering) return false;
  const auto& places = map.clustering->representatives;
  return std::find(places.begin(), places.end(), place) != places.end();
}

double LargestChange(const artifact::HeadEffects& effects) {
  double largest = 0.0;
  for (const auto& layer : effects.nll_change_nats) {
    for (const double change : layer) largest = std::max(largest, std::abs(change));
  }
  return largest;
}

// Heads by falling loss without them; the earlier first among equals.
std::vector<HeadPlace> ByEffect(const HeadMap& map) {
  std::vector<HeadPlace> places;
  for (size_t l = 0; l < map.layers; ++l) {
    for (size_t h = 0; h < map.heads; ++h) places.push_back({.layer = l, .head = h});
  }
  const auto& changes = map.effects->nll_change_nats;
  std::stable_sort(places.begin(), places.end(), [&](const HeadPlace& a, const HeadPlace& b) {
    return changes[a.layer][a.head] > changes[b.layer][b.head];
  });
  return places;
}

size_t MembersThatKeep(const HeadMap& map, const HeadPlace& place) {
  const auto& members = map.kept[place.layer];
  return static_cast<size_t>(std::count_if(members.begin(), members.end(), [&](const auto& heads) {
    return std::find(heads.begin(), heads.end(), place.head) != heads.end();
  }));
}

std::string TopEffects(const HeadMap& map) {
  std::string html =
      "<table class=\"overlap\"><thead><tr><th scope=\"col\">Head</th><th scope=\"col\">Change "
      "of NLL (nats)</th><th scope=\"col\">Change of accuracy (points)</th><th scope=\"col\">Kept "
      "by "
      "members</th></tr></thead><tbody>\n";
  const std::vector<HeadPlace> places = ByEffect(map);
  for (size_t i = 0; i < std::min(places.size(), kShownEffects); ++i) {
    const auto& [layer, head] = places[i];
    absl::StrAppendFormat(&html,
                          "<tr><th scope=\"row\">%s</th><td>%+.4f</td><td>%+.2f</td><td>%d of "
                          "%d</td></tr>\n",
                          Name(places[i]), map.effects->nll_change_nats[layer][head],
                          100.0 * map.effects->accuracy_change[layer][head],
                          MembersThatKeep(map, places[i]), map.members);
  }
  return html + "</tbody></table>\n";
}

std::string Image(const std::string& png, const std::string& description) {
  return absl::StrCat("<img alt=\"", EscapeHtml(description), "\" src=\"data:image/png;base64,",
                      absl::Base64Escape(png), "\">");
}

absl::Status CheckTable(size_t layers, size_t heads, const std::vector<size_t>& rows,
                        absl::string_view part) {
  const bool fits = rows.size() == layers &&
                    std::all_of(rows.begin(), rows.end(), [&](size_t n) { return n == heads; });
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("head_map.", part, ": want ", layers, " layers of ", heads, " heads"));
}

template <typename Table>
std::vector<size_t> RowSizes(const Table& table) {
  std::vector<size_t> sizes;
  for (const auto& row : table) sizes.push_back(row.size());
  return sizes;
}

}  // namespace

std::string ClustersHtml(const HeadMap& map) {
  if (map.clusters.empty()) return "";
  std::string html = "<h3>Clusters of heads</h3>\n";
  if (map.clustering) {
    absl::StrAppendFormat(
        &html,
        "<p class=\"note\">Heads whose classification token looks up on the same inputs, over %d "
        "inputs: spectral clustering of Pearson correlations. Davies-Bouldin %.3f (lower is "
        "further "
        "apart), silhouette %.3f (higher is). Framed: the head nearest to its cluster's "
        "centre.</p>\n",
        map.clustering->inputs, map.clustering->davies_bouldin, map.clustering->silhouette);
  }
  return html + HeadTable(map, [&](size_t layer, size_t head) {
           const size_t cluster = map.clusters[layer][head];
           return absl::StrCat(
               "<td class=\"cluster c", cluster % kClusterColours,
               IsRepresentative(map, {.layer = layer, .head = head}) ? " centre" : "",
               "\" title=\"", Name({.layer = layer, .head = head}), "\">", Letter(cluster),
               "</td>");
         });
}

std::string EffectsHtml(const HeadMap& map) {
  if (!map.effects) return "";
  const artifact::HeadEffects& effects = *map.effects;
  const double largest = LargestChange(effects);
  std::string html = absl::StrFormat(
      "<h3>What the base loses without a head</h3>\n<p class=\"note\">Change of the negative "
      "log-likelihood in thousandths of a nat when one head is set to zero and all others are "
      "kept, "
      "on %d inputs of the select split (with all heads %.4f nats, accuracy %.2f&nbsp;%%). Blue: "
      "the "
      "head helps; orange: the base is better without it.</p>\n",
      effects.inputs, effects.nll_nats, 100.0 * effects.accuracy);
  html += HeadTable(map, [&](size_t layer, size_t head) {
    const double change = effects.nll_change_nats[layer][head];
    const double share = largest > 0.0 ? 70.0 * std::abs(change) / largest : 0.0;
    return absl::StrFormat(
        "<td style=\"background:color-mix(in srgb,var(--series-%d) %.0f%%,transparent)\" "
        "title=\"%s: accuracy %+.2f points\">%.1f</td>",
        change < 0.0 ? 2 : 1, share, Name({.layer = layer, .head = head}),
        100.0 * effects.accuracy_change[layer][head], 1000.0 * change);
  });
  return absl::StrCat(html, "<h3>Heads that matter most</h3>\n", TopEffects(map));
}

std::string GalleryHtml(const HeadGallery& gallery) {
  if (gallery.rows.empty()) return "";
  std::string html =
      "<h3>Laplace maps</h3>\n<p class=\"note\">Patches (of a text its tokens, from left to right) "
      "of like colour are tied together by the head's attention: red, green and blue are the "
      "eigenvectors of the 2nd to 4th smallest eigenvalue of the normalised Laplacian, each "
      "stretched "
      "over the input. Colours of two maps cannot be compared.</p>\n<div class=\"wide\"><table "
      "class=\"gallery\"><thead><tr><th scope=\"col\">Input</th>";
  for (const HeadPlace& place : gallery.heads) {
    absl::StrAppend(&html, "<th scope=\"col\">", Name(place), "</th>");
  }
  html += "</tr></thead><tbody>\n";
  for (const GalleryRow& row : gallery.rows) {
    absl::StrAppend(&html, "<tr><th scope=\"row\">",
                    row.picture.empty() ? "" : Image(row.picture, row.name), "<span>",
                    EscapeHtml(row.name), "</span></th>");
    for (size_t j = 0; j < row.maps.size(); ++j) {
      absl::StrAppend(&html, "<td>", Image(row.maps[j], "Laplace map, " + Name(gallery.heads[j])),
                      "</td>");
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

absl::Status CheckHeadViews(const HeadMap& map) {
  if (!map.clusters.empty()) {
    HYDRA_RETURN_IF_ERROR(CheckTable(map.layers, map.heads, RowSizes(map.clusters), "clusters"));
  }
  if (!map.effects) return absl::OkStatus();
  HYDRA_RETURN_IF_ERROR(CheckTable(map.layers, map.heads, RowSizes(map.effects->nll_change_nats),
                                   "effects.nll_change_nats"));
  return CheckTable(map.layers, map.heads, RowSizes(map.effects->accuracy_change),
                    "effects.accuracy_change");
}

absl::Status CheckGallery(const HeadGallery& gallery) {
  for (size_t i = 0; i < gallery.rows.size(); ++i) {
    if (gallery.rows[i].maps.size() == gallery.heads.size()) continue;
    return absl::InvalidArgumentError(absl::StrCat("gallery.rows[", i, "].maps: got ",
                                                   gallery.rows[i].maps.size(), ", want ",
                                                   gallery.heads.size()));
  }
  return absl::OkStatus();
}

}  // namespace hydra::report
