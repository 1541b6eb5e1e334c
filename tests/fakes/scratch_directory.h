// A directory of a test's own: tests that run side by side do not meet.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>

#include "gtest/gtest.h"
#include "model/base/check.h"

namespace hydra::fakes {

// Removed with all that is in it at the end of the object.
class ScratchDirectory {
 public:
  ScratchDirectory() : path_(::testing::TempDir() + "/hydra-test-XXXXXX") {
    HYDRA_CHECK(::mkdtemp(path_.data()) != nullptr);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ~ScratchDirectory() { std::filesystem::remove_all(path_); }

  const std::string& path() const { return path_; }

  // The path of `name` inside; nothing is made.
  std::string Path(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace hydra::fakes
