// The models that vocabulary files hold, as tokenizer.json writes them.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"

namespace hydra::text {

// vocab.txt: a token a line, its number the id; spaces at the end of a line are not part of it.
nlohmann::json WordPieceModel(absl::string_view vocab_txt, const std::string& unknown_token);

// vocab.json and merges.txt.  `settings` are further members of the model.
// Errors: FAILED_PRECONDITION, naming the file and the line.
absl::StatusOr<nlohmann::json> BpeModel(absl::string_view vocab_json, absl::string_view merges_txt,
                                        const nlohmann::json& settings);

}  // namespace hydra::text
