// scores.json and heads.json: how important each head is, and which ones each member keeps.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/artifact/head_map.h"

namespace hydra::builder {

struct HeadScores {
  std::string method;       // "taylor" or "random"
  std::string base_digest;  // of the checkpoint that was scored
  std::string data_digest;  // of the select split; empty for "random"
  size_t seed = 0;
  std::map<std::string, std::string> choices;                // options where the sources are silent
  std::vector<std::vector<std::vector<double>>> importance;  // [members][layers][heads]
};

struct HeadChoice {
  HeadScores scores;
  std::vector<std::vector<std::vector<size_t>>> kept;  // [members][layers][...], ascending
  std::vector<std::vector<double>> overlap;            // [members][members], Jaccard
};

std::string EncodeHeadScores(const HeadScores& scores);
std::string EncodeHeadChoice(const HeadChoice& choice);

// Errors: INVALID_ARGUMENT, naming the field.
absl::StatusOr<HeadScores> ParseHeadScores(absl::string_view text);
absl::StatusOr<HeadChoice> ParseHeadChoice(absl::string_view text);

// As a bundle carries it.
artifact::HeadMap HeadMapOf(const HeadChoice& choice);

}  // namespace hydra::builder
