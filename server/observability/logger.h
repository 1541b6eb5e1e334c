// Structured log lines: an event with fields, as text for people or JSON for programs.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "model/base/clock.h"
#include "model/base/mutex.h"
#include "server/config/server_config.h"

namespace hydra::observability {

// Values may come from clients: whatever they hold, a line stays one line.
using LogField = std::pair<absl::string_view, std::string>;
using LogSink = std::function<void(config::LogLevel level, const std::string& line)>;

// One write to standard error per line, through spdlog.  Thread-safe.
LogSink StandardErrorSink();

// Thread-safe.
class Logger {
 public:
  // `clock` outlives the logger.
  Logger(const config::LogConfig& config, const base::Clock& clock, LogSink sink);

  // For starts, stops and changes: every line is written.
  void Log(config::LogLevel level, absl::string_view event, std::initializer_list<LogField> fields);

  // For single requests: max_lines_per_second at most.  The first line of a later second is
  // preceded by one that says how many were left out.
  void LogRequest(config::LogLevel level, absl::string_view event,
                  std::initializer_list<LogField> fields);

 private:
  void Write(config::LogLevel level, absl::string_view event,
             std::initializer_list<LogField> fields) const;

  const config::LogConfig config_;
  const base::Clock& clock_;
  const LogSink sink_;
  base::Mutex mutex_;
  absl::Time window_start_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  size_t lines_in_window_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t left_out_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace hydra::observability
