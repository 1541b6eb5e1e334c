// Texts from the command line, or the lines of a file or of the standard input.
#pragma once

#include <cstddef>
#include <istream>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/input/source.h"

namespace hydra::input {

// Largest file of texts that is read.
inline constexpr size_t kMaxTextFileBytes = size_t{256} << 20;

// An input is named by the beginning of its text.
class TextSource final : public Source {
 public:
  // Errors: INVALID_ARGUMENT a text that is not UTF-8, with its position.
  static absl::StatusOr<std::unique_ptr<TextSource>> Create(std::vector<std::string> texts);

  // One text a line, without the end of the line (LF or CR LF); an empty line is the empty text.
  // Errors: NOT_FOUND; INVALID_ARGUMENT a line that is not UTF-8, with its number;
  // RESOURCE_EXHAUSTED the file is too large.
  static absl::StatusOr<std::unique_ptr<TextSource>> OpenFile(const std::string& path);

  // The same for what `in` gives up to its end; `name` stands for it in messages.
  static absl::StatusOr<std::unique_ptr<TextSource>> Read(std::istream& in,
                                                          const std::string& name);

  // Passes over `count` inputs.
  void Skip(size_t count);
  absl::StatusOr<std::vector<NamedInput>> Next(size_t count) override;

 private:
  explicit TextSource(std::vector<std::string> texts);

  std::vector<std::string> texts_;
  size_t next_ = 0;
};

}  // namespace hydra::input
