// What one certificate table can promise, as HTML.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "model/artifact/calibration.h"

namespace hydra::report {

// Its origin, and for common risk targets the coverage and threshold that reach them, or why none
// does.  Errors: INVALID_ARGUMENT for a table that contradicts itself.
absl::StatusOr<std::string> CertificateHtml(const artifact::CertificateTable& table);

}  // namespace hydra::report
