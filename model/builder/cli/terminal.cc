#include "model/builder/cli/terminal.h"

#include <unistd.h>

#include <cstdio>

#include "absl/strings/str_cat.h"

namespace hydra::builder {
namespace {

constexpr absl::Duration kTerminalInterval = absl::Milliseconds(200);
constexpr absl::Duration kLogInterval = absl::Seconds(30);
constexpr char kClearLine[] = "\r\x1b[K";

}  // namespace

Terminal::Terminal(const base::Clock& clock)
    : clock_(clock), interactive_(isatty(STDERR_FILENO) != 0) {}

void Terminal::Line(absl::string_view text) {
  if (pending_) std::fputs(kClearLine, stderr);
  pending_ = false;
  std::fprintf(stdout, "%s\n", std::string(text).c_str());
  std::fflush(stdout);
}

void Terminal::Progress(absl::string_view text, absl::Duration remaining) {
  const absl::Time now = clock_.MonotonicNow();
  if (now - last_ < (interactive_ ? kTerminalInterval : kLogInterval)) return;
  last_ = now;
  pending_ = interactive_;
  const std::string line =
      absl::StrCat(text, "  left ", absl::FormatDuration(absl::Trunc(remaining, absl::Seconds(1))));
  std::fprintf(stderr, interactive_ ? "\r\x1b[K%s" : "%s\n", line.c_str());
}

}  // namespace hydra::builder
