#include "client/loadgen/report.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/terminal/json.h"
#include "client/terminal/table.h"

namespace hydra::loadgen {
namespace {

using nlohmann::ordered_json;

const char* KindName(const Load& load) {
  if (load.kind == LoadKind::kClosed) return "closed";
  switch (load.arrivals.kind) {
    case ArrivalKind::kPoisson:
      return "poisson";
    case ArrivalKind::kConstant:
      return "constant";
    case ArrivalKind::kBurst:
      return "burst";
  }
  return "unknown";
}

std::string LoadText(const Load& load) {
  if (load.kind == LoadKind::kClosed) {
    return absl::StrFormat("closed loop, %d callers", load.concurrency);
  }
  return absl::StrFormat("open loop, %s arrivals, %g calls/s", KindName(load),
                         load.arrivals.calls_per_second);
}

std::string Ms(absl::Duration duration) {
  return absl::StrFormat("%.3f", absl::ToDoubleMilliseconds(duration));
}

void AddLatencies(const std::string& name, const LatencySummary& latency, terminal::Table& table) {
  if (latency.calls == 0) return;
  table.AddRow({name, absl::StrCat(latency.calls), Ms(latency.p50), Ms(latency.p90),
                Ms(latency.p99), Ms(latency.p999), Ms(latency.max)});
}

ordered_json LatencyJson(const LatencySummary& latency) {
  ordered_json json = {{"calls", latency.calls}};
  if (latency.calls == 0) return json;
  json["p50_ms"] = absl::ToDoubleMilliseconds(latency.p50);
  json["p90_ms"] = absl::ToDoubleMilliseconds(latency.p90);
  json["p99_ms"] = absl::ToDoubleMilliseconds(latency.p99);
  json["p99_9_ms"] = absl::ToDoubleMilliseconds(latency.p999);
  json["max_ms"] = absl::ToDoubleMilliseconds(latency.max);
  return json;
}

ordered_json LoadJson(const Load& load) {
  ordered_json json = {{"kind", KindName(load)}};
  if (load.kind == LoadKind::kClosed) {
    json["concurrency"] = load.concurrency;
  } else {
    json["calls_per_second"] = load.arrivals.calls_per_second;
    json["seed"] = load.arrivals.seed;
    if (load.arrivals.kind == ArrivalKind::kBurst) json["burst_size"] = load.arrivals.burst_size;
  }
  json["warm_up_s"] = absl::ToDoubleSeconds(load.warm_up);
  json["duration_s"] = absl::ToDoubleSeconds(load.duration);
  json["deadline_ms"] = absl::ToDoubleMilliseconds(load.deadline);
  return json;
}

}  // namespace

std::string ReportText(const Load& load, const LoadSummary& summary) {
  std::string text =
      absl::StrFormat("%s, deadline %s, %s after %s of warm-up\n", LoadText(load),
                      absl::FormatDuration(load.deadline), absl::FormatDuration(load.duration),
                      absl::FormatDuration(load.warm_up));
  absl::StrAppendFormat(&text, "%d calls, %.1f/s; goodput %.1f calls/s, %.1f rows/s\n",
                        summary.calls, summary.calls_per_second, summary.good_calls_per_second,
                        summary.good_rows_per_second);
  for (const auto& [code, calls] : summary.codes) {
    absl::StrAppendFormat(&text, "  %s %d\n", absl::StatusCodeToString(code), calls);
  }
  if (summary.not_sent > 0) {
    absl::StrAppendFormat(&text, "  not sent %d: %d calls were in flight\n", summary.not_sent,
                          load.max_in_flight);
  }
  if (summary.abstained_share.has_value()) {
    absl::StrAppendFormat(&text, "%.1f %% of the answers are abstentions\n",
                          100.0 * *summary.abstained_share);
  }
  using terminal::Align;
  terminal::Table table({{"milliseconds"},
                         {"calls", Align::kRight},
                         {"p50", Align::kRight},
                         {"p90", Align::kRight},
                         {"p99", Align::kRight},
                         {"p99.9", Align::kRight},
                         {"max", Align::kRight}});
  AddLatencies("answered, from the schedule", summary.answered, table);
  AddLatencies("refused, from sending", summary.refused, table);
  if (load.kind == LoadKind::kOpen) AddLatencies("sent late by", summary.lag, table);
  return absl::StrCat(text, "\n", table.ToString());
}

std::string ReportJson(const Load& load, const LoadSummary& summary) {
  ordered_json json = {{"load", LoadJson(load)},
                       {"wall_s", absl::ToDoubleSeconds(summary.wall)},
                       {"calls", summary.calls},
                       {"not_sent", summary.not_sent},
                       {"calls_per_second", summary.calls_per_second},
                       {"good_calls_per_second", summary.good_calls_per_second},
                       {"good_rows_per_second", summary.good_rows_per_second}};
  json["codes"] = ordered_json::object();
  for (const auto& [code, calls] : summary.codes) {
    json["codes"][absl::StatusCodeToString(code)] = calls;
  }
  json["answered"] = LatencyJson(summary.answered);
  json["refused"] = LatencyJson(summary.refused);
  json["send_lag"] = LatencyJson(summary.lag);
  if (summary.abstained_share.has_value()) json["abstained_share"] = *summary.abstained_share;
  return terminal::JsonLine(json);
}

}  // namespace hydra::loadgen
