// How policies, and what they would do, are shown.
#pragma once

#include <string>
#include <vector>

#include "hydra/v1/abstention.pb.h"

namespace hydra::cli {

// "revision 4 (certificate VALID)".
std::string PolicyReferenceText(const v1::PolicyReference& reference);

// "mutual_information <= 0.1234; conformal set of at most 2".
std::string RulesText(const v1::Policy& policy);

// One line a property, names aligned.
std::string PolicyText(const v1::Policy& policy);

// A preview's certified and live parts.
std::string PreviewText(const v1::PreviewPolicyResponse& preview);

// A table, newest first.
std::string RevisionsText(const std::vector<v1::Policy>& policies);

}  // namespace hydra::cli
