#include "server/rpc/control/model_conversion.h"

#include "server/rpc/inference/infer_inputs.h"

namespace hydra::rpc {
namespace {

void GeometryToProto(const artifact::Geometry& geometry, v1::ModelGeometry& out) {
  out.set_layers(static_cast<uint32_t>(geometry.layers));
  out.set_width(static_cast<uint32_t>(geometry.width));
  out.set_heads(static_cast<uint32_t>(geometry.heads));
  out.set_head_width(static_cast<uint32_t>(geometry.head_width));
  out.set_mlp_width(static_cast<uint32_t>(geometry.mlp_width));
  out.set_classes(static_cast<uint32_t>(geometry.classes));
  out.set_patch_size(static_cast<uint32_t>(geometry.patch_size));
  out.set_vocabulary(static_cast<uint32_t>(geometry.vocabulary));
  out.set_max_positions(static_cast<uint32_t>(geometry.max_positions));
}

void LimitsToProto(const PublishedLimits& limits, v1::ModelLimits& out) {
  out.set_max_instances(static_cast<uint32_t>(limits.request.max_instances));
  out.set_max_message_bytes(limits.max_message_bytes);
  out.set_max_image_bytes(limits.request.image.max_bytes);
  out.set_max_image_pixels(limits.request.image.max_pixels);
  out.set_max_text_bytes(limits.request.max_text_bytes);
}

void CertificateToProto(const artifact::CertificateTable& table, v1::CertificateSummary& out) {
  out.set_dtype(table.dtype);
  out.set_score_name(table.score);
  out.set_score_made(table.score_made);
  out.set_n(table.n);
  out.set_delta(table.delta);
  out.set_population(table.population);
  out.set_cuts(static_cast<uint32_t>(table.cuts.size()));
}

void CalibrationToProto(const artifact::Calibration& calibration, v1::CalibrationSummary& out) {
  out.set_temperature(calibration.temperature);
  out.set_default_score(calibration.default_score);
  for (const auto& [name, split] : calibration.splits) {
    v1::CalibrationSplit& added = (*out.mutable_splits())[name];
    added.set_n(split.n);
    added.set_digest(split.digest);
  }
  for (const artifact::CertificateTable& table : calibration.certificates) {
    CertificateToProto(table, *out.add_certificates());
  }
  for (const artifact::ConformalQuantile& quantile : calibration.conformal) {
    v1::ConformalSummary& added = *out.add_conformal();
    added.set_method(quantile.method);
    added.set_alpha(quantile.alpha);
    added.set_quantile(quantile.quantile);
    added.set_n(quantile.n);
  }
}

void ProvenanceToProto(const artifact::Provenance& provenance, v1::ModelProvenance& out) {
  out.set_base_digest(provenance.base_digest);
  out.mutable_data_digests()->insert(provenance.data_digests.begin(),
                                     provenance.data_digests.end());
  out.set_seed(provenance.seed);
  out.set_tool_version(provenance.tool_version);
}

}  // namespace

v1::Model ToProto(const policy::ServedBundle& bundle, const PublishedLimits& limits) {
  const artifact::Manifest& manifest = bundle.manifest;
  v1::Model model;
  model.mutable_reference()->set_name(manifest.name);
  model.mutable_reference()->set_bundle_digest(bundle.digest);
  model.set_weights_digest(bundle.weights_digest);
  model.set_state(v1::MODEL_STATE_ACTIVE);
  model.set_family(manifest.family);
  GeometryToProto(manifest.geometry, *model.mutable_geometry());
  model.set_members(static_cast<uint32_t>(manifest.members));
  model.set_branch_layer(static_cast<uint32_t>(manifest.branch_layer));
  model.set_weights_dtype(manifest.dtype);
  model.set_serving_dtype(bundle.serving_dtype);
  for (const InferInput& input : InputsOf(RowReader(bundle, limits.request))) {
    v1::ModelInput& added = *model.add_inputs();
    added.set_name(input.name);
    added.set_dtype(input.datatype);
    added.mutable_shape()->Add(input.row_shape.begin(), input.row_shape.end());
  }
  model.mutable_labels()->Add(bundle.labels.begin(), bundle.labels.end());
  model.set_input_kind(bundle.tokenizer ? v1::INPUT_KIND_TEXT : v1::INPUT_KIND_IMAGE);
  LimitsToProto(limits, *model.mutable_limits());
  if (bundle.tokenizer) {
    model.mutable_limits()->set_max_tokens(
        static_cast<uint32_t>(bundle.tokenizer->settings().max_tokens));
  }
  CalibrationToProto(bundle.calibration, *model.mutable_calibration());
  ProvenanceToProto(manifest.provenance, *model.mutable_provenance());
  model.set_format_version(static_cast<uint32_t>(manifest.format_version));
  return model;
}

}  // namespace hydra::rpc
