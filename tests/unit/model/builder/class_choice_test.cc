#include "model/builder/source/class_choice.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hydra::builder {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Row i has pixel i and digest "i".
LabelledData Data(const std::vector<int64_t>& labels) {
  const auto count = static_cast<int64_t>(labels.size());
  LabelledData data;
  data.examples.pixels = at::arange(count, at::kByte).view({count, 1, 1, 1});
  data.examples.labels = at::tensor(labels, at::kLong);
  for (int64_t i = 0; i < count; ++i) data.digests.push_back(std::to_string(i));
  return data;
}

TEST(ChooseClassesTest, ChosenRows_AreRenumberedInTheOrderOfTheChoice) {
  const DataOptions options{.label_names = {"a", "b", "c"}, .classes = {"c", "a"}};
  const auto choice = ChooseClasses(options, "pool", Data({0, 1, 2, 2, 1}));
  ASSERT_TRUE(choice.ok()) << choice.status();
  EXPECT_THAT(choice->kept.digests, ElementsAre("0", "2", "3"));
  EXPECT_TRUE(choice->kept.examples.labels.equal(at::tensor({1, 0, 0}, at::kLong)));
  EXPECT_EQ(choice->kept.label_names, options.classes);
  EXPECT_THAT(choice->others.digests, ElementsAre("1", "4"));
  EXPECT_EQ(choice->others.examples.pixels[1].item<int64_t>(), 4);
}

TEST(ChooseClassesTest, HeldOutClass_IsApartFromKeptAndOthers) {
  const LabelledData data = Data({0, 1, 2, 2, 1, 0});
  const DataOptions one{.label_names = {"a", "b", "c"}, .held_out_classes = {"b"}};
  const auto choice = ChooseClasses(one, "pool", data);
  ASSERT_TRUE(choice.ok()) << choice.status();
  EXPECT_THAT(choice->kept.digests, ElementsAre("0", "2", "3", "5"));
  EXPECT_THAT(choice->kept.label_names, ElementsAre("a", "c"));
  EXPECT_TRUE(choice->kept.examples.labels.equal(at::tensor({0, 1, 1, 0}, at::kLong)));
  EXPECT_THAT(choice->held_out.digests, ElementsAre("1", "4"));
  EXPECT_EQ(choice->others.digests.size(), 0u);
  const DataOptions both{
      .label_names = {"a", "b", "c"}, .classes = {"b", "c"}, .held_out_classes = {"b"}};
  const auto narrow = ChooseClasses(both, "pool", data);
  ASSERT_TRUE(narrow.ok()) << narrow.status();
  EXPECT_THAT(narrow->kept.digests, ElementsAre("2", "3"));
  EXPECT_THAT(narrow->held_out.digests, ElementsAre("1", "4"));
  EXPECT_THAT(narrow->others.digests, ElementsAre("0", "5"));
  EXPECT_FALSE(
      ChooseClasses({.label_names = {"a", "b", "c"}, .held_out_classes = {"x"}}, "pool", data)
          .ok());
}

TEST(ChooseClassesTest, NoChoice_KeepsEveryRow) {
  const auto choice = ChooseClasses({}, "pool", Data({0, 1}));
  ASSERT_TRUE(choice.ok()) << choice.status();
  EXPECT_EQ(choice->kept.examples.size(), 2u);
  EXPECT_EQ(choice->others.digests.size(), 0u);
}

TEST(ChooseClassesTest, ClassesThatTheDataLack_AreRefusedByName) {
  const auto refusal = [](const DataOptions& options) {
    return std::string(ChooseClasses(options, "pool", Data({0, 1})).status().message());
  };
  EXPECT_THAT(refusal({.label_names = {"a", "b"}, .classes = {"x"}}), HasSubstr("\"x\""));
  EXPECT_THAT(refusal({.classes = {"a"}}), HasSubstr("label_names"));
  EXPECT_THAT(refusal({.label_names = {"a", "b", "c"}, .classes = {"c"}}),
              HasSubstr("no row of c"));
}

}  // namespace
}  // namespace hydra::builder
