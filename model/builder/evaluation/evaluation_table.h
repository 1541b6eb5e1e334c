// The table that evaluate prints.
#pragma once

#include <string>
#include <vector>

#include "model/builder/evaluation/system_measures.h"

namespace hydra::builder {

// One line per system after two header lines; costs are ratios to `systems[reference]`.
std::vector<std::string> EvaluationTable(const std::vector<EvaluatedSystem>& systems,
                                         const std::vector<SystemMeasures>& measures,
                                         const std::string& default_score, size_t reference);

}  // namespace hydra::builder
