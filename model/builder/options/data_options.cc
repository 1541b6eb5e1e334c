#include "model/builder/options/data_options.h"

namespace hydra::builder {

std::vector<OptionField> Fields(DataOptions& options) {
  data::SplitSizes& splits = options.splits;
  return {
      {"data", &options.data,
       "training pool: idx:IMAGES,LABELS | image_folder:DIR | csv:FILE | jsonl:FILE; "
       "\";limit=N\" at the end takes the first N items"},
      {"test", &options.test, "test set, in the same form; only evaluate reads it"},
      {"ood", &options.ood, "out-of-distribution set NAME=SPEC; may be given several times"},
      {"near_ood", &options.near_ood,
       "name of an out-of-distribution set that is near the data; may be given several times"},
      {"label_names", &options.label_names, "names of the classes in their order"},
      {"match_labels", &options.match_labels,
       "how the data's classes are found in a network's: by name, or in order"},
      {"classes", &options.classes,
       "classes that are used; rows of others are left out.  Default: all"},
      {"held_out_classes", &options.held_out_classes,
       "classes that are left out of training and are near out-of-distribution rows of the test "
       "set"},
      {"split_select", &splits.select, "rows for head selection and comparisons while building"},
      {"split_fit", &splits.fit, "rows that fit the temperature"},
      {"split_path", &splits.path, "rows that declare the cuts and choose the score"},
      {"split_certify", &splits.certify, "rows on which thresholds are certified"},
      {"split_conformal", &splits.conformal, "rows of the conformal quantiles"},
      {"split_seed", &options.split_seed, "seed of the assignment of rows to splits"},
  };
}

}  // namespace hydra::builder
