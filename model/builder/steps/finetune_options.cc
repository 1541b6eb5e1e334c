#include "model/builder/steps/finetune_step.h"

namespace hydra::builder {

std::vector<OptionField> Fields(FinetuneStepOptions& options) {
  return {
      {"mode", &options.mode,
       "separate, joint (one network, shared MLP), branch (late layers per member) or reader"},
      {"layers", &options.layers, "of branch and reader: the last layers, in which members differ"},
      {"member_heads", &options.member_heads, "of branch and reader: selected, or all of the base"},
      {"mlp", &options.mlp, "of a branch own or shared, of readers own, tied or low_rank"},
      {"mlp_rank", &options.mlp_rank, "of low_rank"},
      {"own_keys_values", &options.own_keys_values,
       "of readers: own projections for the key and value of the own token"},
      {"diversity", &options.diversity, "weight of the disagreement on proxies, which is raised"},
      {"exposure", &options.exposure, "weight of the cross-entropy to uniform on proxies"},
      {"ensemble_distillation", &options.ensemble_distillation,
       "weight of KL to the deep ensemble, member by member"},
      {"steps", &options.steps, "steps of each member; 0 removes heads and tunes nothing"},
      {"batch", &options.batch, "images of a step"},
      {"lr", &options.lr, "learning rate after the warm-up; then half a cosine"},
      {"warmup", &options.warmup, "steps of linear warm-up"},
      {"weight_decay", &options.weight_decay, "AdamW weight decay of matrices"},
      {"clip_norm", &options.clip_norm, "largest norm of the gradient"},
      {"dropout", &options.dropout, "dropout probability"},
      {"label_smoothing", &options.label_smoothing, "label smoothing"},
      {"flip", &options.flip, "flip images left to right at random"},
      {"shift", &options.shift, "shift images by up to so many pixels at random"},
      {"bf16", &options.bf16, "matrix products in bfloat16"},
      {"bootstrap", &options.bootstrap,
       "every member weighs every example by its own Poisson(1) draw"},
      {"blocks", &options.blocks,
       "share the parameters of layers within so many contiguous blocks; 0: none are shared"},
      {"block_start", &options.block_start,
       "what a block starts from: average of its layers, or the first"},
      {"freeze_qkv", &options.freeze_qkv, "the projections to q, k and v stay as they are"},
      {"distil", &options.distil,
       "learn the outputs of the base as it was instead of the labels, then the classifier"},
      {"distil_layers", &options.distil_layers,
       "layers whose outputs are learnt, from 1; default: the last"},
      {"distil_target", &options.distil_target, "tokens, or cls_mean"},
      {"distil_lr", &options.distil_lr, "learning rate of the distillation's projections"},
      {"classifier_steps", &options.classifier_steps,
       "with distil: steps of the classifier alone on the labels"},
      {"seed", &options.seed, "seed of order, dropout, augmentation and bootstrap"},
      {"save_every", &options.save_every, "steps between two saves of the state"},
  };
}

}  // namespace hydra::builder
