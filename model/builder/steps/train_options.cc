#include "model/builder/steps/train_step.h"

namespace hydra::builder {

std::vector<OptionField> Fields(TrainStepOptions& options) {
  return {
      {"base", &options.base, "checkpoint to start from; empty: a ViT with random parameters"},
      {"max_tokens", &options.max_tokens, "longer texts are cut here; 0: as the base says"},
      {"pooler", &options.pooler,
       "of a tuned base that has one: keep it, or identity, for the classifier to start from CLS"},
      {"head_lr", &options.head_lr, "learning rate of the classifier; 0: lr"},
      {"decay", &options.decay, "of the learning rate: cosine or linear"},
      {"patch_size", &options.patch_size, "side of a patch in pixels"},
      {"width", &options.width, "features of a token"},
      {"layers", &options.layers, "encoder layers"},
      {"heads", &options.heads, "attention heads of a layer; divides the width"},
      {"mlp", &options.mlp, "features inside the MLP"},
      {"channels", &options.channels, "of PNG and JPEG files: 1 or 3; IDX images have one"},
      {"mean", &options.mean, "mean per channel; default: of the train split"},
      {"stddev", &options.stddev, "standard deviation per channel; default: of the train split"},
      {"epochs", &options.epochs, "passes over the train split"},
      {"steps", &options.steps, "steps instead of epochs, if not 0"},
      {"batch", &options.batch, "examples of a step"},
      {"lr", &options.lr, "learning rate after the warm-up; then it decays to 0"},
      {"warmup", &options.warmup, "steps of linear warm-up"},
      {"weight_decay", &options.weight_decay, "AdamW weight decay of matrices"},
      {"clip_norm", &options.clip_norm, "largest norm of the gradient"},
      {"dropout", &options.dropout, "dropout probability"},
      {"label_smoothing", &options.label_smoothing, "label smoothing"},
      {"flip", &options.flip, "flip images left to right at random"},
      {"shift", &options.shift, "shift images by up to so many pixels at random"},
      {"bf16", &options.bf16, "matrix products in bfloat16"},
      {"seed", &options.seed, "seed of parameters, order, dropout and augmentation"},
      {"save_every", &options.save_every, "steps between two saves of the state"},
  };
}

}  // namespace hydra::builder
