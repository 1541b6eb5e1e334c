#include "model/runtime/rows.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hydra::runtime {
namespace {

using ::testing::HasSubstr;

constexpr PredictorShape kImages{.members = 1, .classes = 2, .row_values = 3};
constexpr PredictorShape kTexts{.members = 1, .classes = 2, .max_tokens = 3, .vocabulary = 10};

std::string Message(const Rows& rows, size_t batch, const PredictorShape& shape) {
  const absl::Status status = CheckRows(rows, batch, shape);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  return std::string(status.message());
}

TEST(CheckRowsTest, RowsOfTheShape_AreTaken) {
  EXPECT_TRUE(CheckRows({.values = {1, 2, 3, 4, 5, 6}}, 2, kImages).ok());
  EXPECT_TRUE(CheckRows({.token_ids = {0, 9, 3, 4}, .lengths = {3, 1}}, 2, kTexts).ok());
}

TEST(CheckRowsTest, WrongImages_AreRefusedWithTheNumbers) {
  EXPECT_THAT(Message({.values = {1, 2, 3, 4}}, 2, kImages),
              HasSubstr("got 4 values for batch 2, want 2 x 3"));
  EXPECT_THAT(Message({.values = {1, 2, 3}}, 0, kImages), HasSubstr("for batch 0"));
  EXPECT_THAT(Message({.values = {1, 2, 3}}, size_t{1} << 63, kImages), HasSubstr("got 3 values"));
  EXPECT_THAT(Message({.token_ids = {1}, .lengths = {1}}, 1, kImages), HasSubstr("want images"));
}

TEST(CheckRowsTest, WrongTexts_AreRefusedWithTheNumbers) {
  EXPECT_THAT(Message({.values = {1, 2, 3}}, 1, kTexts), HasSubstr("got images, want texts"));
  EXPECT_THAT(Message({}, 0, kTexts), HasSubstr("got 0, want at least 1"));
  EXPECT_THAT(Message({.token_ids = {1}, .lengths = {1}}, 2, kTexts), HasSubstr("for batch 2"));
  EXPECT_THAT(Message({.lengths = {0}}, 1, kTexts), HasSubstr("one of 0 tokens, want 1..3"));
  EXPECT_THAT(Message({.token_ids = {1, 1, 1, 1}, .lengths = {4}}, 1, kTexts),
              HasSubstr("one of 4 tokens"));
  EXPECT_THAT(Message({.token_ids = {1, 1}, .lengths = {1}}, 1, kTexts),
              HasSubstr("got 2 token ids, want 1"));
  EXPECT_THAT(Message({.token_ids = {10}, .lengths = {1}}, 1, kTexts),
              HasSubstr("got token id 10, want 0..9"));
  EXPECT_THAT(Message({.token_ids = {-1}, .lengths = {1}}, 1, kTexts), HasSubstr("token id -1"));
}

TEST(RowsTest, AppendAndBytes_CountBothKinds) {
  Rows rows{.token_ids = {1, 2}, .lengths = {2}};
  Append({.token_ids = {3}, .lengths = {1}}, rows);
  EXPECT_EQ(rows, (Rows{.token_ids = {1, 2, 3}, .lengths = {2, 1}}));
  EXPECT_EQ(Bytes(rows), 40u);
  EXPECT_EQ(Bytes({.values = {1, 2, 3}}), 12u);
}

}  // namespace
}  // namespace hydra::runtime
