#include "model/builder/steps/select_step.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "model/artifact/codec/head_overlap.h"
#include "model/base/file.h"
#include "model/base/status_macros.h"
#include "model/builder/files/step_directory.h"
#include "model/builder/networks/head_choice.h"
#include "model/importance/selection.h"

namespace hydra::builder {
namespace {

constexpr size_t kMaxScoresBytes = size_t{256} << 20;

void PrintOverlap(const std::vector<std::vector<double>>& overlap, Console& console) {
  for (size_t a = 0; a < overlap.size(); ++a) {
    std::string line = absl::StrFormat("select  overlap of member %d (Jaccard):", a);
    for (const double value : overlap[a]) absl::StrAppendFormat(&line, " %.3f", value);
    console.Line(line);
  }
}

}  // namespace

std::vector<OptionField> Fields(SelectStepOptions& options) {
  return {
      {"keep", &options.keep, "heads kept in every layer of every member"},
      {"overlap_penalty", &options.overlap_penalty,
       "ranks that a head loses for each earlier member that kept it"},
  };
}

absl::Status RunSelect(const SelectStepOptions& options, const std::string& scores,
                       const std::string& out, StepContext context) {
  HYDRA_ASSIGN_OR_RETURN(StepDirectory directory, StepDirectory::Create(out));
  HYDRA_ASSIGN_OR_RETURN(const std::string text,
                         base::ReadFile(scores + "/scores.json", kMaxScoresBytes));
  HeadChoice choice;
  HYDRA_ASSIGN_OR_RETURN(choice.scores, ParseHeadScores(text));
  HYDRA_ASSIGN_OR_RETURN(
      choice.kept,
      importance::SelectHeads(choice.scores.importance,
                              {.keep = options.keep, .overlap_penalty = options.overlap_penalty}));
  choice.scores.choices["heads_kept_per_layer"] = absl::StrCat(options.keep);
  choice.scores.choices["overlap_penalty_ranks"] = absl::StrCat(options.overlap_penalty);
  choice.overlap = artifact::codec::MemberOverlap(HeadMapOf(choice).kept);
  PrintOverlap(choice.overlap, context.console);
  HYDRA_RETURN_IF_ERROR(directory.Write("heads.json", EncodeHeadChoice(choice)));
  return directory.Commit();
}

}  // namespace hydra::builder
