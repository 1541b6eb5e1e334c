#include "server/rpc/control/paging.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "server/rpc/wire/request_check.h"

namespace hydra::rpc {
namespace {

constexpr uint32_t kDefaultSize = 50;
constexpr uint32_t kMaxSize = 1000;
constexpr char kBadPage[] = "BAD_PAGE";

}  // namespace

absl::StatusOr<Page> FindPage(uint32_t size, const std::string& token, size_t total) {
  if (size > kMaxSize) {
    return WrongField("page_size", kBadPage, absl::StrCat("got ", size, ", want 0..", kMaxSize));
  }
  uint64_t begin = 0;
  if (!token.empty() && (!absl::SimpleAtoi(token, &begin) || begin > total)) {
    return WrongField("page_token", kBadPage, "is not one that this server gave out");
  }
  Page page;
  page.begin = static_cast<size_t>(begin);
  page.end = std::min(total, page.begin + (size == 0 ? kDefaultSize : size));
  if (page.end < total) page.next_token = absl::StrCat(page.end);
  return page;
}

}  // namespace hydra::rpc
