// The shape of an ensemble's output: M members, B rows, C classes.
#pragma once

#include <cstddef>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace hydra::uncertainty {

// Buffers of this shape are [M, B, C] row-major.  M >= 1 and C >= 2 always hold; B may be 0.
class EnsembleShape {
 public:
  // Errors: INVALID_ARGUMENT if members < 1 or classes < 2.
  static absl::StatusOr<EnsembleShape> Create(size_t members, size_t batch, size_t classes) {
    if (members < 1 || classes < 2) {
      return absl::InvalidArgumentError(absl::StrCat("ensemble shape: got ", members,
                                                     " members and ", classes,
                                                     " classes, want at least 1 and 2"));
    }
    return EnsembleShape(members, batch, classes);
  }

  size_t members() const { return members_; }
  size_t batch() const { return batch_; }
  size_t classes() const { return classes_; }
  size_t size() const { return members_ * batch_ * classes_; }

  // Offset of the first class of (member, row).
  size_t RowOffset(size_t member, size_t row) const { return (member * batch_ + row) * classes_; }

 private:
  EnsembleShape(size_t members, size_t batch, size_t classes)
      : members_(members), batch_(batch), classes_(classes) {}

  size_t members_;
  size_t batch_;
  size_t classes_;
};

}  // namespace hydra::uncertainty
