#include "server/rpc/control/explain_conversion.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "model/base/status_detail.h"
#include "model/base/status_macros.h"
#include "model/interpret/laplace_map.h"
#include "model/interpret/token_colours.h"
#include "server/rpc/control/model_service.h"
#include "server/rpc/predict/instance_conversion.h"
#include "server/rpc/wire/request_check.h"

namespace hydra::rpc {
namespace {

absl::Status CheckBelow(size_t got, size_t limit, absl::string_view path,
                        absl::string_view reason) {
  if (got < limit) return absl::OkStatus();
  return WrongField(path, reason, absl::StrCat("got ", got, ", want 0..", limit - 1));
}

// The members that keep `head` in this layer, ascending.
std::vector<size_t> KeptBy(const artifact::LayerPlan& plan, size_t head) {
  std::vector<size_t> members;
  for (size_t s = 0; s < plan.streams.size(); ++s) {
    if (std::find(plan.heads[s].begin(), plan.heads[s].end(), head) == plan.heads[s].end()) {
      continue;
    }
    members.insert(members.end(), plan.streams[s].begin(), plan.streams[s].end());
  }
  std::sort(members.begin(), members.end());
  return members;
}

absl::Status CheckKept(const artifact::Manifest& manifest, const runtime::HeadQuery& query,
                       const std::string& path) {
  const std::vector<size_t> members = KeptBy(manifest.layers[query.layer], query.head);
  if (std::find(members.begin(), members.end(), query.member) != members.end()) {
    return absl::OkStatus();
  }
  const std::string problem =
      members.empty()
          ? absl::StrCat("got ", query.head, ", which no member keeps in layer ", query.layer)
          : absl::StrCat("got ", query.head, ", which member ", query.member,
                         " does not keep in layer ", query.layer, "; kept by ",
                         absl::StrJoin(members, ", "));
  return WrongField(absl::StrCat(path, ".head"), "HEAD_REMOVED", problem);
}

absl::StatusOr<runtime::HeadQuery> ReadHead(const v1::HeadReference& head,
                                            const artifact::Manifest& manifest,
                                            const std::string& path) {
  const runtime::HeadQuery query{
      .layer = head.layer(), .head = head.head(), .member = head.member()};
  HYDRA_RETURN_IF_ERROR(CheckBelow(query.layer, manifest.layers.size(),
                                   absl::StrCat(path, ".layer"), "NO_SUCH_LAYER"));
  HYDRA_RETURN_IF_ERROR(
      CheckBelow(query.head, manifest.geometry.heads, absl::StrCat(path, ".head"), "NO_SUCH_HEAD"));
  HYDRA_RETURN_IF_ERROR(
      CheckBelow(query.member, manifest.members, absl::StrCat(path, ".member"), "NO_SUCH_MEMBER"));
  HYDRA_RETURN_IF_ERROR(CheckKept(manifest, query, path));
  return query;
}

absl::Status CheckHeadCount(int count) {
  if (count >= 1 && static_cast<size_t>(count) <= kMaxExplainedHeads) return absl::OkStatus();
  return WrongField("heads", count == 0 ? "NO_HEADS" : "TOO_MANY_HEADS",
                    absl::StrCat("got ", count, ", want 1..", kMaxExplainedHeads));
}

absl::Status CheckMembers(const artifact::Manifest& manifest) {
  if (manifest.member_mode == artifact::MemberMode::kFull) return absl::OkStatus();
  return base::WithReason(
      absl::UnimplementedError("this model's members are readers: each has attention for its "
                               "classification token only, which has no Laplace map"),
      "READERS_HAVE_NO_MAPS");
}

// What the text leaves to show is known before the model runs.
absl::Status CheckTokens(const InputRow& input) {
  if (input.row.lengths.empty() || input.row.lengths.front() >= interpret::kMinMapTokens) {
    return absl::OkStatus();
  }
  return WrongField("instance.text", "TOO_FEW_TOKENS",
                    absl::StrCat("got ", input.row.lengths.front(), " tokens, want at least ",
                                 interpret::kMinMapTokens));
}

absl::Status Failed(const absl::Status& status) {
  if (base::ReasonOf(status) == "TOO_FEW_TOKENS") {
    return WrongField("instance", "TOO_FEW_TOKENS", status.message());
  }
  return base::WithReason(absl::InternalError(absl::StrCat("explain: ", status.message())),
                          "EXPLAIN_FAILED");
}

absl::StatusOr<v1::HeadExplanation> MakeExplanation(const ExplainPlan& plan,
                                                    const runtime::HeadAttention& attention) {
  HYDRA_ASSIGN_OR_RETURN(const interpret::LaplaceMap map,
                         interpret::MapTokens(attention.probabilities, attention.tokens));
  HYDRA_ASSIGN_OR_RETURN(const interpret::TokenGrid grid,
                         interpret::ShownTokens(plan.snapshot->bundle->manifest, attention.tokens));
  HYDRA_ASSIGN_OR_RETURN(const std::vector<double> colours, interpret::TokenColours(map, grid));
  v1::HeadExplanation out;
  out.set_rows(static_cast<uint32_t>(grid.rows));
  out.set_columns(static_cast<uint32_t>(grid.columns));
  out.set_tokens(static_cast<uint32_t>(map.tokens));
  for (const double value : colours) out.add_values(static_cast<float>(value));
  out.mutable_coordinates()->Add(map.coordinates.begin(), map.coordinates.end());
  out.mutable_eigenvalues()->Add(map.eigenvalues.begin(), map.eigenvalues.end());
  out.mutable_degenerate()->Add(map.degenerate.begin(), map.degenerate.end());
  if (!plan.return_png) return out;
  HYDRA_ASSIGN_OR_RETURN(*out.mutable_png(), interpret::RenderCells(colours, grid));
  return out;
}

}  // namespace

absl::StatusOr<ExplainPlan> PlanExplain(const v1::ExplainHeadsRequest& request,
                                        std::shared_ptr<const policy::Snapshot> snapshot,
                                        const RequestLimits& limits) {
  const policy::ServedBundle& bundle = *snapshot->bundle;
  HYDRA_RETURN_IF_ERROR(CheckModelName(request.model(), bundle));
  HYDRA_RETURN_IF_ERROR(CheckMembers(bundle.manifest));
  HYDRA_RETURN_IF_ERROR(CheckHeadCount(request.heads_size()));
  ExplainPlan plan{.return_png = request.return_png()};
  for (int i = 0; i < request.heads_size(); ++i) {
    HYDRA_ASSIGN_OR_RETURN(plan.heads.emplace_back(), ReadHead(request.heads(i), bundle.manifest,
                                                               absl::StrCat("heads[", i, "]")));
  }
  HYDRA_ASSIGN_OR_RETURN(plan.input,
                         ReadInstance(request.instance(), "instance", RowReader(bundle, limits)));
  HYDRA_RETURN_IF_ERROR(CheckTokens(plan.input));
  plan.snapshot = std::move(snapshot);
  return plan;
}

absl::StatusOr<v1::HeadExplanation> ExplainHead(const ExplainPlan& plan, size_t index,
                                                const runtime::HeadAttention& attention) {
  absl::StatusOr<v1::HeadExplanation> out = MakeExplanation(plan, attention);
  if (!out.ok()) return Failed(out.status());
  const runtime::HeadQuery& query = plan.heads[index];
  out->mutable_head()->set_layer(static_cast<uint32_t>(query.layer));
  out->mutable_head()->set_head(static_cast<uint32_t>(query.head));
  out->mutable_head()->set_member(static_cast<uint32_t>(query.member));
  return out;
}

}  // namespace hydra::rpc
