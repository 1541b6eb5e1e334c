#include "model/builder/source/data_digest.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "model/base/file.h"
#include "model/base/sha256.h"
#include "model/base/status_macros.h"
#include "model/builder/source/example_list.h"

namespace hydra::builder {
namespace {

constexpr size_t kMaxFileBytes = size_t{8} << 30;

absl::StatusOr<std::string> DigestFile(const std::string& path) {
  HYDRA_ASSIGN_OR_RETURN(const std::string bytes, base::ReadFile(path, kMaxFileBytes));
  return base::Sha256Hex(bytes);
}

absl::Status AddIdx(const DataSpec& spec, base::Sha256& sha) {
  sha.Update(absl::StrCat("limit=", spec.limit, ";"));
  for (const std::string& path : {spec.path, spec.labels}) {
    if (path.empty()) continue;
    HYDRA_ASSIGN_OR_RETURN(const std::string digest, DigestFile(path));
    sha.Update(digest);
  }
  return absl::OkStatus();
}

absl::Status AddExamples(const DataSpec& spec, base::Sha256& sha) {
  HYDRA_ASSIGN_OR_RETURN(const data::ExampleList list, ListExamples(spec));
  sha.Update(absl::StrCat("classes=", absl::StrJoin(list.class_names, ","), ";"));
  for (const data::Example& example : list.examples) {
    std::string digest = base::Sha256Hex(example.text);
    if (!example.image.empty()) {
      HYDRA_ASSIGN_OR_RETURN(digest, DigestFile(example.image));
    }
    sha.Update(digest);
    if (example.label.has_value()) sha.Update(absl::StrCat("=", *example.label, ";"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> DigestData(const DataSpec& spec) {
  base::Sha256 sha;
  HYDRA_RETURN_IF_ERROR(spec.kind == DataKind::kIdx ? AddIdx(spec, sha) : AddExamples(spec, sha));
  return std::move(sha).HexDigest();
}

}  // namespace hydra::builder
