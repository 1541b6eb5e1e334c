// Any text as a CSV or JSON lines table: an error, or examples whose labels have names.
#include "model/base/check.h"
#include "model/data/table.h"

namespace data = hydra::data;

namespace {

void CheckLabels(const absl::StatusOr<data::ExampleList>& list) {
  if (!list.ok()) return;
  for (const data::Example& example : list->examples) {
    HYDRA_CHECK(example.image.empty() != example.text.empty());
    HYDRA_CHECK(!example.label.has_value() || *example.label < list->class_names.size());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(bytes), size);
  CheckLabels(data::ParseCsvTable(text, "fuzz.csv", {}));
  CheckLabels(data::ParseJsonLines(text, "fuzz.jsonl", {}));
  return 0;
}
