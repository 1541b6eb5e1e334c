// What is known about the base's heads, as HTML.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "model/artifact/head_map.h"
#include "model/report/heads/head_gallery.h"

namespace hydra::report {

// Layers x heads with the letter of each head's cluster; empty without clusters.
std::string ClustersHtml(const artifact::HeadMap& map);

// Layers x heads with the change of the negative log-likelihood, and the heads that matter most;
// empty without effects.
std::string EffectsHtml(const artifact::HeadMap& map);

// Inputs x heads with their maps; empty without rows.
std::string GalleryHtml(const HeadGallery& gallery);

// Errors: INVALID_ARGUMENT naming the part that is not layers x heads, or a gallery's row with
// other than one map a head.
absl::Status CheckHeadViews(const artifact::HeadMap& map);
absl::Status CheckGallery(const HeadGallery& gallery);

}  // namespace hydra::report
