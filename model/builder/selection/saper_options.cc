#include "model/builder/selection/saper_scores.h"

namespace hydra::builder {

std::vector<OptionField> Fields(SaperScoreOptions& options) {
  return {
      {"saper_budget", &options.budget,
       "heads that stay over all layers; a recipe's default is select's budget"},
      {"saper_steps", &options.steps, "steps of the soft phase"},
      {"saper_batch", &options.batch, "images of a step"},
      {"saper_lr", &options.lr, "learning rate of the network; half a cosine"},
      {"saper_weight_decay", &options.weight_decay, "AdamW weight decay of the network's matrices"},
      {"saper_clip_norm", &options.clip_norm, "largest norm of the network's gradient"},
      {"saper_dropout", &options.dropout, "dropout probability"},
      {"saper_flip", &options.flip, "flip images left to right at random"},
      {"saper_shift", &options.shift, "shift images by up to so many pixels at random"},
      {"saper_bf16", &options.bf16, "matrix products in bfloat16"},
      {"saper_freeze_qkv", &options.freeze_qkv, "the projections to q, k and v stay as they are"},
      {"saper_selector_lr", &options.selector_lr, "learning rate of the scores, constant"},
      {"saper_selector_clip_norm", &options.selector_clip_norm,
       "largest norm of the scores' gradient"},
      {"saper_start", &options.start,
       "first scores: small, 0.01 N(0, 1); unit, N(0, 1); scaled, N(0, 1) / sqrt(heads)"},
      {"saper_alpha_start", &options.alpha_start, "|alpha| at first"},
      {"saper_alpha_end", &options.alpha_end, "|alpha| at last"},
      {"saper_alpha_shape", &options.alpha_shape, "geometric, cosine or linear"},
      {"saper_alpha_from", &options.alpha_from,
       "share of the steps at which |alpha| starts to fall"},
      {"saper_alpha_to", &options.alpha_to, "share of the steps at which |alpha| has fallen"},
      {"saper_budget_warmup", &options.budget_warmup,
       "share of the steps in which the budget falls from all heads"},
      {"saper_distil", &options.distil, "learn the base's outputs instead of the labels"},
      {"saper_distil_layers", &options.distil_layers,
       "layers whose outputs are learnt, from 1; default: the last"},
      {"saper_distil_target", &options.distil_target, "tokens, or cls_mean"},
      {"saper_distil_lr", &options.distil_lr, "learning rate of the distillation's projections"},
      {"saper_clusters", &options.clusters,
       "JSON file with the cluster of each head, [layers][heads]: a member for each cluster"},
      {"saper_cluster_bonus", &options.cluster_bonus,
       "share of all ranks that a head of the member's cluster gains"},
      {"saper_save_every", &options.save_every, "steps between two saves of the state"},
  };
}

}  // namespace hydra::builder
