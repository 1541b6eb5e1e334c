#include "model/nn/sequences.h"

#include <ATen/ATen.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hydra::nn {
namespace {

using ::testing::ElementsAre;

std::vector<int64_t> Values(const at::Tensor& tensor) {
  return {tensor.data_ptr<int64_t>(), tensor.data_ptr<int64_t>() + tensor.numel()};
}

TEST(SequencesTest, LayOut_EqualLengths_IsOneGroupWithoutCopies) {
  const Sequences sequences = LayOut({4, 4, 4});
  EXPECT_EQ(sequences.rows, 12);
  EXPECT_THAT(Values(sequences.first_row), ElementsAre(0, 4, 8));
  ASSERT_EQ(sequences.groups.size(), 1u);
  EXPECT_FALSE(sequences.groups[0].gather.defined());
  EXPECT_FALSE(sequences.groups[0].mask.defined());
  EXPECT_FALSE(sequences.restore.defined());
}

TEST(SequencesTest, LayOut_MixedLengths_PadsToTheLongestOfAGroup) {
  const Sequences sequences = LayOut({3, 1, 2});
  ASSERT_EQ(sequences.groups.size(), 1u);
  const SequenceGroup& group = sequences.groups[0];
  EXPECT_EQ(group.tokens, 3);
  EXPECT_THAT(group.inputs, ElementsAre(1, 2, 0));
  EXPECT_THAT(Values(group.gather), ElementsAre(3, 3, 3, 4, 5, 4, 0, 1, 2));
  EXPECT_THAT(Values(group.real), ElementsAre(0, 3, 4, 6, 7, 8));
  EXPECT_THAT(Values(sequences.restore), ElementsAre(3, 4, 5, 0, 1, 2));
  EXPECT_THAT(Values(group.mask.eq(0).to(at::kLong).flatten()),
              ElementsAre(1, 0, 0, 1, 1, 0, 1, 1, 1));
}

TEST(SequencesTest, LayOut_FarLengths_AreSeparateGroups) {
  const Sequences sequences = LayOut({40, 100, 5, 60, 101, 13});
  std::vector<std::vector<int64_t>> groups;
  for (const SequenceGroup& group : sequences.groups) groups.push_back(group.inputs);
  EXPECT_THAT(groups, ElementsAre(ElementsAre(2, 5), ElementsAre(0, 3), ElementsAre(1, 4)));
  EXPECT_FALSE(LayOut({20, 60, 20}).groups[0].mask.defined()) << "equal lengths need no mask";
}

// Whatever the lengths: rows gathered by group and put back are the rows.
TEST(SequencesTest, GatherThenRestore_GivesEveryRowOnce) {
  for (const std::vector<int64_t>& lengths :
       {std::vector<int64_t>{1, 2}, {7, 1, 50, 3, 49, 7, 128}, {30, 10, 20}, {9, 1, 9}}) {
    const Sequences sequences = LayOut(lengths);
    const at::Tensor rows = at::arange(sequences.rows, at::kLong);
    std::vector<at::Tensor> grouped;
    for (const SequenceGroup& group : sequences.groups) {
      const at::Tensor places = rows.index_select(0, group.gather);
      grouped.push_back(group.real.defined() ? places.index_select(0, group.real) : places);
    }
    EXPECT_TRUE(at::equal(at::cat(grouped).index_select(0, sequences.restore), rows));
  }
}

TEST(SequencesTest, RowInputs_NamesTheInputOfEachRow) {
  EXPECT_THAT(Values(RowInputs(LayOut({2, 1, 3}))), ElementsAre(0, 0, 1, 2, 2, 2));
}

}  // namespace
}  // namespace hydra::nn
