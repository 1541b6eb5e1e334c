#include "server/observability/logger.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace hydra::observability {
namespace {

const char* LevelName(config::LogLevel level) {
  switch (level) {
    case config::LogLevel::kDebug:
      return "debug";
    case config::LogLevel::kInfo:
      return "info";
    case config::LogLevel::kWarning:
      return "warning";
    case config::LogLevel::kError:
      return "error";
  }
  return "unknown";
}

std::string TimeText(absl::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", time, absl::UTCTimeZone());
}

bool IsPlain(absl::string_view value) {
  return !value.empty() && std::all_of(value.begin(), value.end(), [](char c) {
    return c > ' ' && c < 0x7f && c != '"' && c != '\\' && c != '=';
  });
}

std::string TextLine(absl::string_view time, absl::string_view level, absl::string_view event,
                     std::initializer_list<LogField> fields) {
  std::string line = absl::StrCat(time, " ", level, " ", event);
  for (const auto& [key, value] : fields) {
    absl::StrAppend(&line, " ", key, "=",
                    IsPlain(value) ? value : absl::StrCat("\"", absl::CHexEscape(value), "\""));
  }
  return line;
}

std::string JsonLine(absl::string_view time, absl::string_view level, absl::string_view event,
                     std::initializer_list<LogField> fields) {
  nlohmann::ordered_json line;
  line["time"] = std::string(time);
  line["level"] = std::string(level);
  line["event"] = std::string(event);
  for (const auto& [key, value] : fields) line[std::string(key)] = value;
  // Bytes that are not UTF-8 become U+FFFD instead of an exception.
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

LogSink StandardErrorSink() {
  auto logger =
      std::make_shared<spdlog::logger>("hydra", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_pattern("%v");
  logger->set_level(spdlog::level::trace);
  // Co-owned by the copies of the function object.
  return [logger](config::LogLevel, const std::string& line) { logger->info("{}", line); };
}

Logger::Logger(const config::LogConfig& config, const base::Clock& clock, LogSink sink)
    : config_(config), clock_(clock), sink_(std::move(sink)) {}

void Logger::Log(config::LogLevel level, absl::string_view event,
                 std::initializer_list<LogField> fields) {
  if (level >= config_.level) Write(level, event, fields);
}

void Logger::LogRequest(config::LogLevel level, absl::string_view event,
                        std::initializer_list<LogField> fields) {
  if (level < config_.level) return;
  size_t left_out = 0;
  {
    base::MutexLock lock(mutex_);
    const absl::Time now = clock_.MonotonicNow();
    if (now - window_start_ >= absl::Seconds(1)) {
      window_start_ = now;
      lines_in_window_ = 0;
      left_out = std::exchange(left_out_, 0);
    }
    if (lines_in_window_ >= config_.max_lines_per_second) {
      left_out_ += 1;
      return;
    }
    lines_in_window_ += 1;
  }
  if (left_out > 0) {
    Write(config::LogLevel::kWarning, "log_lines_left_out", {{"count", absl::StrCat(left_out)}});
  }
  Write(level, event, fields);
}

void Logger::Write(config::LogLevel level, absl::string_view event,
                   std::initializer_list<LogField> fields) const {
  const std::string time = TimeText(clock_.WallNow());
  const bool json = config_.format == config::LogFormat::kJson;
  sink_(level, json ? JsonLine(time, LevelName(level), event, fields)
                    : TextLine(time, LevelName(level), event, fields));
}

}  // namespace hydra::observability
