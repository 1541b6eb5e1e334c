#include "model/builder/source/example_list.h"

#include "model/base/check.h"
#include "model/data/image_folder.h"
#include "model/data/table.h"

namespace hydra::builder {
namespace {

absl::StatusOr<data::ExampleList> ReadList(const DataSpec& spec) {
  switch (spec.kind) {
    case DataKind::kImageFolder:
      return data::ReadImageFolder(spec.path);
    case DataKind::kCsv:
      return data::ReadCsv(spec.path, {});
    default:
      HYDRA_CHECK(spec.kind == DataKind::kJsonLines);
      return data::ReadJsonLines(spec.path, {});
  }
}

}  // namespace

absl::StatusOr<data::ExampleList> ListExamples(const DataSpec& spec) {
  absl::StatusOr<data::ExampleList> list = ReadList(spec);
  if (list.ok() && spec.limit != 0 && spec.limit < list->examples.size()) {
    list->examples.resize(spec.limit);
  }
  return list;
}

}  // namespace hydra::builder
