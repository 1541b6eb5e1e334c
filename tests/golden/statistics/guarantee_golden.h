// Reads tests/golden/statistics/guarantees.json.
#pragma once

#include <vector>

#include "model/uncertainty/scores.h"
#include "nlohmann/json.hpp"

namespace hydra::golden {

// Ends the test program with a message when the file is missing or malformed.
nlohmann::json LoadGuarantees();

// The rows of one of its "selections".
std::vector<uncertainty::ScoredRow> RowsOf(const nlohmann::json& selection);

}  // namespace hydra::golden
