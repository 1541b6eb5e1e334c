#include "server/observability/bounded_family.h"

#include <string>

#include "gtest/gtest.h"
#include "prometheus/counter.h"
#include "prometheus/registry.h"

namespace hydra::observability {
namespace {

class BoundedFamilyTest : public ::testing::Test {
 protected:
  prometheus::Registry registry_;
  prometheus::Family<prometheus::Counter>& counters_ =
      prometheus::BuildCounter().Name("c_total").Help("h").Register(registry_);
  BoundedFamily<prometheus::Counter> family_{
      {"a", "b"},
      2, [this](const prometheus::Labels& labels) -> auto& {return counters_.Add(labels);
}
};  // namespace
};  // namespace hydra::observability

TEST_F(BoundedFamilyTest, SameValues_GiveTheSameSeries) {
  EXPECT_EQ(&family_.Get({"x", "y"}), &family_.Get({"x", "y"}));
  EXPECT_NE(&family_.Get({"x", "y"}), &family_.Get({"y", "x"}));
}

TEST_F(BoundedFamilyTest, TooManyValues_FoldToOther) {
  family_.Get({"1", "1"}).Increment();
  family_.Get({"2", "2"}).Increment();
  for (int i = 3; i < 100; ++i) family_.Get({std::to_string(i), "x"}).Increment();
  EXPECT_EQ(registry_.Collect().front().metric.size(), 3u);
  EXPECT_EQ(family_.Get({"whatever", ""}).Value(), 97.0);
  EXPECT_EQ(family_.Get({"1", "1"}).Value(), 1.0);
}

}  // namespace
}  // namespace hydra::observability
