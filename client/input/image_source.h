// Encoded images from files and folders.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/input/source.h"

namespace hydra::input {

// Largest image file that is read; servers usually accept less.
inline constexpr size_t kMaxImageBytes = size_t{64} << 20;

class ImageSource final : public Source {
 public:
  // `paths`: files as they are; folders stand for their .jpg, .jpeg and .png files, subfolders
  // included, sorted by path.
  // Errors: NOT_FOUND no such path; INVALID_ARGUMENT a folder without images; INTERNAL unreadable.
  static absl::StatusOr<std::unique_ptr<ImageSource>> Create(const std::vector<std::string>& paths);

  absl::StatusOr<std::vector<NamedInput>> Next(size_t count) override;

 private:
  explicit ImageSource(std::vector<std::string> files);

  std::vector<std::string> files_;
  size_t next_ = 0;
};

}  // namespace hydra::input
