#include "server/observability/levels.h"

#include <string>

namespace hydra::observability {
namespace {

prometheus::Gauge& AddGauge(prometheus::Registry& registry, const std::string& name,
                            const std::string& help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry).Add({});
}

}  // namespace

LevelGauges::LevelGauges(prometheus::Registry& registry)
    : ready_(AddGauge(registry, "hydra_ready", "1 while the server takes requests, else 0.")),
      queue_requests_(AddGauge(registry, "hydra_queue_requests", "Jobs that wait.")),
      queue_rows_(AddGauge(registry, "hydra_queue_rows", "Rows of the jobs that wait.")),
      queue_bytes_(AddGauge(registry, "hydra_queue_bytes", "Input bytes of the jobs that wait.")),
      oldest_wait_(AddGauge(registry, "hydra_queue_oldest_wait_seconds",
                            "How long the job at the head has waited; 0 without one.")),
      in_flight_rows_(AddGauge(registry, "hydra_in_flight_rows", "Rows that the lanes work on.")),
      slowest_lane_(AddGauge(registry, "hydra_lane_silence_seconds",
                             "Since the last sign of life of the lane that is longest silent.")) {}

void LevelGauges::Set(const Levels& levels) {
  ready_.Set(levels.ready ? 1 : 0);
  queue_requests_.Set(static_cast<double>(levels.queue_requests));
  queue_rows_.Set(static_cast<double>(levels.queue_rows));
  queue_bytes_.Set(static_cast<double>(levels.queue_bytes));
  oldest_wait_.Set(absl::ToDoubleSeconds(levels.oldest_wait));
  in_flight_rows_.Set(static_cast<double>(levels.in_flight_rows));
  slowest_lane_.Set(absl::ToDoubleSeconds(levels.slowest_lane));
}

}  // namespace hydra::observability
