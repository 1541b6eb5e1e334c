// A report about a made-up ensemble: its logits are drawn, everything else is computed from them.
#pragma once

#include "model/report/report_data.h"

namespace hydra::report {

// Texts hold markup that must come out as text.
ReportData SampleData();

}  // namespace hydra::report
