// A load's result, for people and for programs.
#pragma once

#include <string>

#include "client/loadgen/load.h"
#include "client/loadgen/recorder.h"

namespace hydra::loadgen {

// A few lines and a table; latencies in milliseconds.
std::string ReportText(const Load& load, const LoadSummary& summary);

// One JSON object on one line; every duration says its unit in its name.
std::string ReportJson(const Load& load, const LoadSummary& summary);

}  // namespace hydra::loadgen
