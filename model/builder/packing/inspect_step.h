// What a bundle is, for people and for programs.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/artifact/bundle.h"

namespace hydra::builder {

// A page of text: geometry, members, heads kept in every layer, splits, temperature, certificates,
// conformal quantiles, digest.
std::string DescribeBundle(const artifact::Bundle& bundle);

// The same facts as one JSON object.  Errors: INVALID_ARGUMENT a text that is not UTF-8.
absl::StatusOr<std::string> DescribeBundleJson(const artifact::Bundle& bundle);

}  // namespace hydra::builder
