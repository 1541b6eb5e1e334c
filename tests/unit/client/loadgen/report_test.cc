#include "client/loadgen/report.h"

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace hydra::loadgen {
namespace {

LoadSummary SomeSummary() {
  LoadSummary summary;
  summary.wall = absl::Seconds(10);
  summary.calls = 1000;
  summary.not_sent = 7;
  summary.calls_per_second = 100.0;
  summary.good_calls_per_second = 98.5;
  summary.good_rows_per_second = 394.0;
  summary.codes = {{absl::StatusCode::kOk, 990}, {absl::StatusCode::kResourceExhausted, 10}};
  const absl::Duration ms = absl::Milliseconds(1);
  summary.answered = {990, 2.5 * ms, 4 * ms, 9 * ms, 20 * ms, 31.25 * ms};
  summary.refused = {10, 0.2 * ms, 0.3 * ms, 0.4 * ms, 0.4 * ms, 0.4 * ms};
  summary.lag = {1000, 0.05 * ms, 0.1 * ms, 0.2 * ms, 0.3 * ms, 0.5 * ms};
  summary.abstained_share = 0.125;
  return summary;
}

TEST(ReportTextTest, OpenLoop_SaysLoadRatesCodesAndLatencies) {
  const Load load = {.kind = LoadKind::kOpen};
  EXPECT_EQ(ReportText(load, SomeSummary()),
            "open loop, poisson arrivals, 100 calls/s, deadline 1s, 10s after 2s of warm-up\n"
            "1000 calls, 100.0/s; goodput 98.5 calls/s, 394.0 rows/s\n"
            "  OK 990\n"
            "  RESOURCE_EXHAUSTED 10\n"
            "  not sent 7: 4096 calls were in flight\n"
            "12.5 % of the answers are abstentions\n"
            "\n"
            "milliseconds                 calls    p50    p90    p99   p99.9     max\n"
            "---------------------------  -----  -----  -----  -----  ------  ------\n"
            "answered, from the schedule    990  2.500  4.000  9.000  20.000  31.250\n"
            "refused, from sending           10  0.200  0.300  0.400   0.400   0.400\n"
            "sent late by                  1000  0.050  0.100  0.200   0.300   0.500\n");
}

TEST(ReportTextTest, ClosedLoop_NamesItsCallersAndNoLag) {
  LoadSummary summary = SomeSummary();
  summary.refused = {};
  const std::string text = ReportText({.concurrency = 5}, summary);
  EXPECT_EQ(text.substr(0, 24), "closed loop, 5 callers, ");
  EXPECT_EQ(text.find("sent late"), std::string::npos);
  EXPECT_EQ(text.find("refused"), std::string::npos);
}

TEST(ReportJsonTest, Summary_IsOneObjectWithUnitsInItsNames) {
  const std::string line = ReportJson({.concurrency = 5}, SomeSummary());
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
  ASSERT_FALSE(json.is_discarded());
  EXPECT_EQ(json["load"]["kind"], "closed");
  EXPECT_EQ(json["load"]["concurrency"], 5);
  EXPECT_EQ(json["codes"]["RESOURCE_EXHAUSTED"], 10);
  EXPECT_EQ(json["answered"]["p99_9_ms"], 20.0);
  EXPECT_EQ(json["refused"]["calls"], 10);
  EXPECT_EQ(json["abstained_share"], 0.125);
}

TEST(ReportJsonTest, NothingAnswered_LeavesPercentilesOut) {
  const nlohmann::json json = nlohmann::json::parse(ReportJson({}, {}), nullptr, false);
  EXPECT_EQ(json["answered"].size(), 1u);
  EXPECT_FALSE(json.contains("abstained_share"));
}

}  // namespace
}  // namespace hydra::loadgen
