// Names and limits that several documents of a bundle share.
#pragma once

#include <cstddef>
#include <initializer_list>

#include "absl/strings/string_view.h"
#include "model/artifact/codec/json_reader.h"

namespace hydra::artifact::codec {

// What a network may be evaluated in; keys of the per-dtype tables.
inline constexpr std::initializer_list<absl::string_view> kNumerics = {"float32", "bfloat16",
                                                                       "float16", "int8"};

inline constexpr size_t kMaxMembers = 64;
inline constexpr size_t kMaxLayers = 256;
inline constexpr size_t kMaxHeads = 1024;
inline constexpr size_t kMaxClasses = 1000000;
inline constexpr size_t kMaxRows = size_t{1} << 40;  // of a data split
inline constexpr size_t kMaxSide = 16384;            // pixels

// A key of a per-dtype table.
void CheckNumerics(const JsonNode& node, absl::string_view dtype);

// True for a ScoreName of model/uncertainty/scores.h and for "novelty".
bool IsScore(absl::string_view name);

// True for the scores that are unset when M = 1.
bool NeedsMembers(absl::string_view name);

// A score's name; with M = 1 not one that compares members.
void CheckScore(const JsonNode& node, absl::string_view name, size_t members);

}  // namespace hydra::artifact::codec
