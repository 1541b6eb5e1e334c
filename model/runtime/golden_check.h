// Does a loaded predictor still give the answers that its bundle promises?
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/artifact/golden_answers.h"
#include "model/runtime/predictor.h"

namespace hydra::runtime {

// Replays the golden inputs and compares the member logits: max |got - want| / max |want|, which is
// returned, must not exceed golden.tolerance[dtype].  `dtype`: numerics of the predictor, "float32"
// or "bfloat16". Errors: FAILED_PRECONDITION when it does (the message has row, member, class, got,
// want, the relative error and the tolerance), when the golden answers are of another shape than
// the predictor, or when the bundle states no tolerance for `dtype`, or when padding of texts is
// not at their end; or the status of a failed pass.
absl::StatusOr<double> CheckGolden(const artifact::GoldenAnswers& golden, absl::string_view dtype,
                                   Predictor& predictor);

}  // namespace hydra::runtime
