#include "client/input/text_source.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "model/base/file.h"
#include "model/base/status_macros.h"
#include "model/text/utf8.h"

namespace hydra::input {
namespace {

constexpr size_t kShownCharacters = 40;

absl::Status CheckUtf8(const std::string& text, absl::string_view place) {
  const std::optional<size_t> offset = text::FirstInvalidUtf8Byte(text);
  if (!offset) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(place, ": got a byte that is not UTF-8 at offset ", *offset));
}

// The beginning of `text`, which is UTF-8.
std::string Shortened(const std::string& text) {
  size_t characters = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool begins = (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
    if (begins && ++characters > kShownCharacters) return absl::StrCat(text.substr(0, i), "...");
  }
  return text;
}

absl::StatusOr<std::vector<std::string>> SplitLines(absl::string_view content,
                                                    const std::string& name) {
  std::vector<std::string> lines;
  if (content.empty()) return lines;
  absl::ConsumeSuffix(&content, "\n");
  for (const absl::string_view line : absl::StrSplit(content, '\n')) {
    lines.emplace_back(absl::StripSuffix(line, "\r"));
    HYDRA_RETURN_IF_ERROR(CheckUtf8(lines.back(), absl::StrCat(name, ":", lines.size())));
  }
  return lines;
}

}  // namespace

TextSource::TextSource(std::vector<std::string> texts) : texts_(std::move(texts)) {}

absl::StatusOr<std::unique_ptr<TextSource>> TextSource::Create(std::vector<std::string> texts) {
  for (size_t i = 0; i < texts.size(); ++i) {
    HYDRA_RETURN_IF_ERROR(CheckUtf8(texts[i], absl::StrCat("text ", i + 1)));
  }
  return std::unique_ptr<TextSource>(new TextSource(std::move(texts)));
}

absl::StatusOr<std::unique_ptr<TextSource>> TextSource::OpenFile(const std::string& path) {
  HYDRA_ASSIGN_OR_RETURN(const std::string content, base::ReadFile(path, kMaxTextFileBytes));
  HYDRA_ASSIGN_OR_RETURN(std::vector<std::string> lines, SplitLines(content, path));
  return std::unique_ptr<TextSource>(new TextSource(std::move(lines)));
}

absl::StatusOr<std::unique_ptr<TextSource>> TextSource::Read(std::istream& in,
                                                             const std::string& name) {
  std::string content;
  char part[1 << 16];
  while (in.read(part, sizeof(part)) || in.gcount() > 0) {
    content.append(part, static_cast<size_t>(in.gcount()));
    if (content.size() > kMaxTextFileBytes) {
      return absl::ResourceExhaustedError(
          absl::StrCat(name, ": got more than ", kMaxTextFileBytes, " bytes"));
    }
  }
  HYDRA_ASSIGN_OR_RETURN(std::vector<std::string> lines, SplitLines(content, name));
  return std::unique_ptr<TextSource>(new TextSource(std::move(lines)));
}

void TextSource::Skip(size_t count) { next_ += std::min(count, texts_.size() - next_); }

absl::StatusOr<std::vector<NamedInput>> TextSource::Next(size_t count) {
  std::vector<NamedInput> inputs;
  for (; inputs.size() < count && next_ < texts_.size(); ++next_) {
    inputs.push_back({.name = Shortened(texts_[next_])});
    inputs.back().instance.set_text(texts_[next_]);
  }
  return inputs;
}

}  // namespace hydra::input
