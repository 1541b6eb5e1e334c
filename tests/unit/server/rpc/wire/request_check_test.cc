#include "server/rpc/wire/request_check.h"

#include <string>

#include "gtest/gtest.h"
#include "model/base/status_detail.h"

namespace hydra::rpc {
namespace {

TEST(CheckRequestIdTest, PrintableAscii_IsAccepted) {
  EXPECT_TRUE(CheckRequestId("", "request_id").ok());
  EXPECT_TRUE(CheckRequestId("order-17 / retry 2", "request_id").ok());
  EXPECT_TRUE(CheckRequestId(std::string(kMaxRequestIdBytes, 'x'), "request_id").ok());
}

TEST(CheckRequestIdTest, LongOrUnprintable_IsRefusedWithItsPath) {
  for (const std::string& id : {std::string(kMaxRequestIdBytes + 1, 'x'), std::string("a\nb"),
                                std::string("\xc3\xa9"), std::string("a\0b", 3)}) {
    const absl::Status status = CheckRequestId(id, "request_id");
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    ASSERT_EQ(base::FieldViolationsOf(status).size(), 1u);
    EXPECT_EQ(base::FieldViolationsOf(status)[0].path, "request_id");
  }
}

}  // namespace
}  // namespace hydra::rpc
