// SHA256SUMS: the hash of every file of a bundle, in the format of sha256sum(1).
#pragma once

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "model/artifact/container/file_map.h"

namespace hydra::artifact::container {

inline constexpr char kChecksumsFile[] = "SHA256SUMS";
inline constexpr char kSignatureFile[] = "SHA256SUMS.sig";

// "<64 hex digits>  <path>\n" for every file but the two above, ascending by path.
std::string EncodeChecksums(const FileMap& files);

// Hashes every file and compares with SHA256SUMS.  Returns the hash of each listed file.
// Errors: NOT_FOUND SHA256SUMS, or a file that it lists, is missing; INVALID_ARGUMENT a line that
// is not as above, a file that is not listed, a wrong hash (names the file and both hashes).
absl::StatusOr<std::map<std::string, std::string>> VerifyChecksums(const FileMap& files);

}  // namespace hydra::artifact::container
