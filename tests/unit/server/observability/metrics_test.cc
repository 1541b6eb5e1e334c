#include "server/observability/metrics.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/file.h"
#include "tests/fakes/scratch_directory.h"

namespace hydra::observability {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

BundleFacts Bundle() {
  return {.name = "demo",
          .digest = "d",
          .weights_digest = "w",
          .dtype = "float32",
          .members = 3,
          .score_edges = {{"energy", {-2.5, -7.0, -2.5}}, {"total_entropy", {0.5}}}};
}

// One of everything, so that every family has a series.
void Exercise(Metrics& metrics) {
  metrics.SetBundle(Bundle());
  metrics.CountRequest("hydra.v1.PredictionService/Predict", "OK", absl::Microseconds(300));
  metrics.CountFailure("hydra.v1.PredictionService/Predict", "QUEUE_FULL");
  metrics.CountBatch({.rows = 3,
                      .padded_rows = 4,
                      .tokens = 40,
                      .dispatch_reason = "full",
                      .code = "OK",
                      .queue_waits = {absl::Milliseconds(1), absl::Milliseconds(2)},
                      .compute = absl::Milliseconds(7)});
  metrics.CountDrop("admission", "QUEUE_FULL");
  metrics.CountPrediction("abstained", "LOW_CONFIDENCE");
  metrics.CountTruncation(7);
  metrics.ObserveScore("energy", -3.0);
  metrics.SetPolicy(4, "VALID");
}

TEST(MetricsTest, EveryCall_IsInTheScrape) {
  Metrics metrics("1.2.3");
  Exercise(metrics);
  const std::string text = metrics.Scrape({.ready = true,
                                           .queue_requests = 2,
                                           .queue_rows = 5,
                                           .queue_bytes = 60,
                                           .oldest_wait = absl::Milliseconds(250),
                                           .in_flight_rows = 8,
                                           .slowest_lane = absl::Seconds(1)});
  for (const char* line : {
           "hydra_requests_total{code=\"OK\",method=\"hydra.v1.PredictionService/Predict\"} 1",
           "reason=\"QUEUE_FULL\"} 1",
           "hydra_request_duration_seconds_bucket{method=\"hydra.v1.PredictionService/Predict\","
           "le=\"0.0005\"} 1",
           "hydra_queue_duration_seconds_count 2",
           "hydra_compute_duration_seconds_count 1",
           "hydra_batch_rows_bucket{le=\"4\"} 1",
           "hydra_batch_rows_bucket{le=\"2\"} 0",
           "hydra_rows_total 3",
           "hydra_padding_rows_total 1",
           "hydra_tokens_total 40",
           "hydra_truncated_texts_total 1",
           "hydra_truncated_tokens_total 7",
           "hydra_batches_total{code=\"OK\",dispatch_reason=\"full\"} 1",
           "hydra_jobs_dropped_total{reason=\"QUEUE_FULL\",stage=\"admission\"} 1",
           "hydra_predictions_total{outcome=\"abstained\",reason=\"LOW_CONFIDENCE\"} 1",
           "hydra_policy_revision 4",
           "hydra_certificate_state{state=\"VALID\"} 1",
           "hydra_certificate_state{state=\"VOID\"} 0",
           "hydra_ready 1",
           "hydra_queue_requests 2",
           "hydra_queue_rows 5",
           "hydra_queue_bytes 60",
           "hydra_queue_oldest_wait_seconds 0.25",
           "hydra_in_flight_rows 8",
           "hydra_lane_silence_seconds 1",
           "hydra_build_info{version=\"1.2.3\"} 1",
           "hydra_bundle_info{digest=\"d\",dtype=\"float32\",members=\"3\",name=\"demo\","
           "weights_digest=\"w\"} 1",
       }) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST(MetricsTest, Scores_FallIntoTheBundlesBins) {
  Metrics metrics("1.2.3");
  metrics.ObserveScore("energy", 1.0);  // no bundle yet: not recorded
  metrics.SetBundle(Bundle());
  metrics.ObserveScore("energy", -7.0);
  metrics.ObserveScore("energy", -2.0);
  metrics.ObserveScore("novelty", 1.0);
  const std::string text = metrics.Scrape({});
  EXPECT_THAT(text, HasSubstr("hydra_score_bucket{score=\"energy\",le=\"-7\"} 1"));
  EXPECT_THAT(text, HasSubstr("hydra_score_bucket{score=\"energy\",le=\"-2.5\"} 1"));
  EXPECT_THAT(text, HasSubstr("hydra_score_bucket{score=\"energy\",le=\"+Inf\"} 2"));
  EXPECT_THAT(text, Not(HasSubstr("novelty")));
}

TEST(MetricsTest, EveryOutcome_IsThereAtZero) {
  const std::string text = Metrics("1.2.3").Scrape({});
  EXPECT_THAT(text, HasSubstr("{outcome=\"predicted\",reason=\"NONE\"} 0"));
  EXPECT_THAT(text, HasSubstr("{outcome=\"abstained\",reason=\"MEMBERS_DISAGREE\"} 0"));
}

TEST(MetricsTest, FailureWithoutReason_IsCountedAsUnspecified) {
  Metrics metrics("1.2.3");
  metrics.CountFailure("m", "");
  EXPECT_THAT(metrics.Scrape({}), HasSubstr("reason=\"UNSPECIFIED\"} 1"));
}

std::string TypeName(prometheus::MetricType type) {
  switch (type) {
    case prometheus::MetricType::Counter:
      return "counter";
    case prometheus::MetricType::Gauge:
      return "gauge";
    case prometheus::MetricType::Histogram:
      return "histogram";
    default:
      return "other";
  }
}

TEST(MetricsDocTest, EveryMetric_HasItsRow) {
  Metrics metrics("1.2.3");
  Exercise(metrics);
  std::set<std::string> rows;
  for (const prometheus::MetricFamily& family : metrics.registry().Collect()) {
    std::vector<std::string> labels;
    for (const auto& label : family.metric.front().label) {
      labels.push_back(absl::StrCat("`", label.name, "`"));
    }
    rows.insert(absl::StrCat("| `", family.name, "` | ", TypeName(family.type), " | ",
                             absl::StrJoin(labels, ", "), " | ", family.help, " |\n"));
  }
  const std::string table = absl::StrCat("| name | type | labels | meaning |\n|---|---|---|---|\n",
                                         absl::StrJoin(rows, ""));
  const auto doc = base::ReadFile(std::string(HYDRA_SOURCE_DIR) + "/docs/metrics.md", 1 << 20);
  EXPECT_TRUE(absl::StrContains(doc.value_or(""), table))
      << "docs/metrics.md must hold this table:\n"
      << table;
}

TEST(MetricsLintTest, Promtool_HasNoComplaint) {
#ifdef HYDRA_PROMTOOL
  Metrics metrics("1.2.3");
  Exercise(metrics);
  const fakes::ScratchDirectory scratch;
  const std::string path = scratch.Path("scrape.txt");
  std::ofstream(path) << metrics.Scrape({});
  EXPECT_EQ(std::system((std::string(HYDRA_PROMTOOL) + " check metrics < " + path).c_str()), 0);
#else
  GTEST_SKIP() << "promtool is not installed";
#endif
}

}  // namespace
}  // namespace hydra::observability
