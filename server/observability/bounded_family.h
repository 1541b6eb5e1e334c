// A metric family whose label values come from outside the code: bounded, and cheap to look up.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "model/base/mutex.h"
#include "prometheus/family.h"

namespace hydra::observability {

// Family::Add builds and hashes a map of labels under a lock on each call; this keeps the
// references.  Label combinations after the first `max_series` share one series in which every
// label is "other".  Thread-safe.
template <typename Metric>
class BoundedFamily {
 public:
  // `add` makes the series for the values of `label_names`, in that order.
  BoundedFamily(std::vector<std::string> label_names, size_t max_series,
                std::function<Metric&(const prometheus::Labels&)> add)
      : label_names_(std::move(label_names)), max_series_(max_series), add_(std::move(add)) {}

  Metric& Get(const std::vector<std::string>& values) {
    base::MutexLock lock(mutex_);
    const auto found = series_.find(values);
    if (found != series_.end()) return *found->second;
    if (series_.size() < max_series_) return *Make(values);
    const std::vector<std::string> other(label_names_.size(), "other");
    const auto rest = series_.find(other);
    return rest != series_.end() ? *rest->second : *Make(other);
  }

 private:
  Metric* Make(const std::vector<std::string>& values) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    prometheus::Labels labels;
    for (size_t i = 0; i < label_names_.size(); ++i) labels[label_names_[i]] = values[i];
    return series_[values] = &add_(labels);
  }

  const std::vector<std::string> label_names_;
  const size_t max_series_;
  const std::function<Metric&(const prometheus::Labels&)> add_;
  base::Mutex mutex_;
  // The metrics are owned by their family.
  std::map<std::vector<std::string>, Metric*> series_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hydra::observability
