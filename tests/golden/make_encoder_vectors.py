#!/usr/bin/env python3
"""Writes tests/golden/encoders/<case>/: random checkpoints and what `transformers` makes of them.

Run with torch 2.11, transformers 5.24, safetensors 0.8:
    python3 tests/golden/make_encoder_vectors.py [CASE...]
Each case holds what save_pretrained writes and vectors.safetensors (float32).  Of images: images
[B, c, h, w].  Of texts: ids [R] of all texts one after the other and lengths [B].  Of both: answer
[B, C] (logits, or the features of a model without a classifier), hidden.<l> [R, D] (the input of
layer l, real tokens only) and attention.<l> [sum of H*t*t] (probabilities of each input, head x
query x key).  Two-sided models have their text side in text_vectors.safetensors.  Texts are padded
on the right and masked in the reference.  Weights are drawn wide, so that attention is far from
uniform.  The reference computes in float32 with the eager attention what it loads from the files.
"""

import json
import pathlib
import shutil
import sys

import torch
import transformers as hf
from safetensors.torch import save_file

HERE = pathlib.Path(__file__).parent / "encoders"
LENGTHS = [5, 13, 1, 7, 13, 2, 9]  # of the texts; the longest fills every position
VOCABULARY = 37

VIT = dict(
    hidden_size=18,
    num_hidden_layers=2,
    num_attention_heads=3,
    intermediate_size=29,
    image_size=12,
    patch_size=4,
    num_channels=1,
    hidden_dropout_prob=0.0,
)
UNEVEN = dict(VIT, image_size=14, num_attention_heads=6, layer_norm_eps=1e-6)
COLOUR = dict(VIT, num_attention_heads=2, num_channels=3)
DINO = dict(
    hidden_size=15,
    num_hidden_layers=2,
    num_attention_heads=3,
    mlp_ratio=2,
    image_size=15,
    patch_size=5,
    num_channels=1,
)
BERT = dict(
    hidden_size=20,
    num_hidden_layers=2,
    num_attention_heads=4,
    intermediate_size=31,
    vocab_size=VOCABULARY,
    max_position_embeddings=max(LENGTHS),
)
ROBERTA = dict(BERT, max_position_embeddings=max(LENGTHS) + 2, type_vocab_size=1)
DISTILBERT = dict(
    dim=21,
    n_layers=3,
    n_heads=3,
    hidden_dim=26,
    vocab_size=VOCABULARY,
    max_position_embeddings=max(LENGTHS),
)
CLIP_VISION = dict(
    hidden_size=16,
    num_hidden_layers=2,
    num_attention_heads=4,
    intermediate_size=25,
    image_size=14,
    patch_size=4,
)
CLIP_TEXT = dict(
    hidden_size=14,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=23,
    vocab_size=VOCABULARY,
    max_position_embeddings=max(LENGTHS),
    bos_token_id=3,
    eos_token_id=VOCABULARY - 1,
)


def classifier(model_class, config_class, sizes, classes):
    return model_class(config_class(**sizes, num_labels=classes))


def clip(activation, eos):
    return hf.CLIPModel(
        hf.CLIPConfig(
            vision_config=dict(CLIP_VISION, hidden_act=activation),
            text_config=dict(CLIP_TEXT, hidden_act=activation, eos_token_id=eos),
            projection_dim=13,
        )
    )


def dual(vision, text):
    return hf.VisionTextDualEncoderModel(
        hf.VisionTextDualEncoderConfig.from_vision_text_configs(vision, text, projection_dim=11)
    )


def vit(**changes):
    return classifier(
        hf.ViTForImageClassification, hf.ViTConfig, dict(VIT, **changes), classes=5
    )


def dinov2(**changes):
    return classifier(
        hf.Dinov2ForImageClassification, hf.Dinov2Config, dict(DINO, **changes), classes=6
    )


def registers(**changes):
    return classifier(
        hf.Dinov2WithRegistersForImageClassification,
        hf.Dinov2WithRegistersConfig,
        dict(DINO, num_register_tokens=3, **changes),
        classes=4,
    )


def bert(**changes):
    return classifier(
        hf.BertForSequenceClassification, hf.BertConfig, dict(BERT, **changes), classes=3
    )


# Case -> model, and how to save it: dtype of the file, size of a shard, size of the images that the
# processor makes where it is not the configuration's, arguments to load it again.
CASES = {
    "vit_plain": (lambda: vit(), {}),
    "vit_no_qkv_bias": (
        lambda: classifier(
            hf.ViTForImageClassification,
            hf.ViTConfig,
            dict(COLOUR, qkv_bias=False, hidden_act="gelu_new"),
            2,
        ),
        {},
    ),
    "vit_uneven": (
        lambda: classifier(
            hf.ViTForImageClassification, hf.ViTConfig, dict(UNEVEN, hidden_act="quick_gelu"), 11
        ),
        {},
    ),
    "vit_model": (lambda: hf.ViTModel(hf.ViTConfig(**VIT)), {}),
    "vit_fp16": (lambda: vit(), {"dtype": torch.float16}),
    "vit_resized": (lambda: vit(), {"image_size": 17}),
    "deit_relu": (
        lambda: classifier(
            hf.DeiTForImageClassification, hf.DeiTConfig, dict(VIT, hidden_act="relu"), 3
        ),
        {},
    ),
    "deit_teacher": (
        lambda: classifier(
            hf.DeiTForImageClassificationWithTeacher, hf.DeiTConfig, dict(VIT, num_channels=3), 4
        ),
        {},
    ),
    "dinov2": (lambda: dinov2(), {}),
    "dinov2_swiglu": (lambda: dinov2(use_swiglu_ffn=True), {}),
    "dinov2_model": (lambda: hf.Dinov2Model(hf.Dinov2Config(**DINO)), {}),
    "dinov2_resized": (lambda: dinov2(), {"image_size": 22}),
    "dinov2_registers": (lambda: registers(), {}),
    "dinov2_registers_swiglu": (lambda: registers(use_swiglu_ffn=True), {}),
    "dinov2_registers_resized": (lambda: registers(), {"image_size": 22}),
    "dinov2_registers_reduced": (lambda: registers(image_size=30), {"image_size": 15}),
    "bert": (lambda: bert(), {}),
    "bert_gelu_new": (
        lambda: bert(hidden_act="gelu_new", layer_norm_eps=1e-5, type_vocab_size=3),
        {},
    ),
    "bert_model": (lambda: hf.BertModel(hf.BertConfig(**BERT)), {}),
    "bert_without_pooler": (
        lambda: hf.BertModel(hf.BertConfig(**BERT), add_pooling_layer=False),
        {"load": {"add_pooling_layer": False}},
    ),
    "bert_pretrained": (
        lambda: hf.BertForPreTraining(hf.BertConfig(**dict(BERT, num_hidden_layers=1))),
        {},
    ),
    "bert_masked_lm": (
        lambda: hf.BertForMaskedLM(hf.BertConfig(**dict(BERT, num_hidden_layers=1))),
        {},
    ),
    "bert_sharded": (lambda: bert(), {"shard": "12KB"}),
    "bert_bf16": (lambda: bert(), {"dtype": torch.bfloat16}),
    "roberta": (
        lambda: classifier(
            hf.RobertaForSequenceClassification, hf.RobertaConfig, dict(ROBERTA), 4
        ),
        {},
    ),
    "roberta_model": (lambda: hf.RobertaModel(hf.RobertaConfig(**ROBERTA)), {}),
    "distilbert": (
        lambda: classifier(
            hf.DistilBertForSequenceClassification, hf.DistilBertConfig, dict(DISTILBERT), 7
        ),
        {},
    ),
    "distilbert_model": (lambda: hf.DistilBertModel(hf.DistilBertConfig(**DISTILBERT)), {}),
    "roberta_masked_lm": (
        lambda: hf.RobertaForMaskedLM(hf.RobertaConfig(**dict(ROBERTA, num_hidden_layers=1))),
        {},
    ),
    "distilbert_masked_lm": (
        lambda: hf.DistilBertForMaskedLM(hf.DistilBertConfig(**dict(DISTILBERT, n_layers=1))),
        {},
    ),
    "clip": (lambda: clip("quick_gelu", VOCABULARY - 1), {}),
    "clip_gelu": (lambda: clip("gelu", VOCABULARY - 1), {}),
    "clip_eos_2": (lambda: clip("quick_gelu", 2), {}),
    "dual_vit_bert": (lambda: dual(hf.ViTConfig(**VIT), hf.BertConfig(**BERT)), {}),
    "dual_vit_roberta": (
        lambda: dual(hf.ViTConfig(**VIT), hf.RobertaConfig(**ROBERTA)),
        {"shard": "25KB"},
    ),
    "dual_clip_bert": (
        lambda: dual(hf.CLIPVisionConfig(**CLIP_VISION), hf.BertConfig(**BERT)),
        {},
    ),
}


def draw(model):
    for name, parameter in model.named_parameters():
        torch.nn.init.normal_(parameter, std=0.3)
        if "norm" in name.lower() and name.endswith("weight"):
            parameter.data += 1.0
        if "lambda" in name:
            parameter.data += 0.5


def save(model, folder, *, dtype=None, shard="1GB", image_size=None):
    draw(model)
    shutil.rmtree(folder, ignore_errors=True)
    model.to(dtype or torch.float32).save_pretrained(folder, max_shard_size=shard)
    vision = getattr(model.config, "vision_config", model.config)
    if not hasattr(vision, "image_size"):
        return
    size = image_size or vision.image_size
    bit = vision.model_type.startswith("dinov2")
    sizes = {"size": {"height": size, "width": size}}
    if bit:
        sizes = {
            "size": {"shortest_edge": size + 3},
            "do_center_crop": True,
            "crop_size": {"height": size, "width": size},
        }
    processor = {
        "image_processor_type": "BitImageProcessor" if bit else "ViTImageProcessor",
        "image_mean": [0.3 + 0.1 * c for c in range(vision.num_channels)],
        "image_std": [0.2 + 0.1 * c for c in range(vision.num_channels)],
        "resample": 3,
        **sizes,
    }
    (folder / "preprocessor_config.json").write_text(json.dumps(processor) + "\n")


def observe(output, lengths):
    """hidden.<l> and attention.<l> of the real tokens."""
    vectors = {}
    for layer, attention in enumerate(output.attentions):
        hidden = output.hidden_states[layer]
        vectors[f"hidden.{layer}"] = torch.cat([hidden[b, :t] for b, t in enumerate(lengths)])
        vectors[f"attention.{layer}"] = torch.cat(
            [attention[b, :, :t, :t].flatten() for b, t in enumerate(lengths)]
        )
    return vectors


def write(path, vectors):
    save_file({name: value.float().contiguous() for name, value in vectors.items()}, path)


def answer_of(model, output):
    if hasattr(output, "logits"):
        return output.logits
    if isinstance(model, (hf.BertModel, hf.RobertaModel)) and output.pooler_output is not None:
        return output.pooler_output
    first = output.last_hidden_state[:, 0]
    if isinstance(model, hf.Dinov2Model):
        return torch.cat([first, output.last_hidden_state[:, 1:].mean(1)], 1)
    return first


def look_at_images(vision, size, batch, answer):
    config = vision.config
    images = torch.randn(batch, config.num_channels, size, size)
    resized = size != config.image_size and not config.model_type.startswith("dinov2")
    extra = {"interpolate_pos_encoding": True} if resized else {}
    output = vision(images, output_hidden_states=True, output_attentions=True, **extra)
    tokens = output.hidden_states[0].shape[1]
    return {
        "images": images,
        "answer": answer(images, output),
        **observe(output, [tokens] * batch),
    }


def look_at_texts(text, answer):
    ends_with = VOCABULARY - 1 if text.config.model_type == "clip_text_model" else None
    padding = text.config.pad_token_id or 0
    ids = torch.full((len(LENGTHS), max(LENGTHS)), padding)
    mask = torch.zeros_like(ids)
    for row, length in enumerate(LENGTHS):
        ids[row, :length] = torch.randint(4, VOCABULARY - 1, (length,))
        if ends_with:
            ids[row, length - 1] = ends_with
        mask[row, :length] = 1
    output = text(
        input_ids=ids, attention_mask=mask, output_hidden_states=True, output_attentions=True
    )
    return {
        "ids": torch.cat([ids[row, :length] for row, length in enumerate(LENGTHS)]),
        "lengths": torch.tensor(LENGTHS),
        "answer": answer(ids, mask, output),
        **observe(output, LENGTHS),
    }


def unit(features):
    return features / features.norm(dim=-1, keepdim=True)


def look_at_both_sides(model, folder):
    def image_side(images, output):
        return unit(model.get_image_features(pixel_values=images).pooler_output)

    def text_side(ids, mask, output):
        return unit(model.get_text_features(input_ids=ids, attention_mask=mask).pooler_output)

    size = model.vision_model.config.image_size
    write(folder / "vectors.safetensors", look_at_images(model.vision_model, size, 7, image_side))
    write(folder / "text_vectors.safetensors", look_at_texts(model.text_model, text_side))


def make(name, seed):
    torch.manual_seed(seed)
    build, options = CASES[name]
    model = build()
    folder = HERE / name
    load = options.pop("load", {})
    save(model, folder, **options)
    model = type(model).from_pretrained(
        folder, dtype=torch.float32, attn_implementation="eager", **load
    ).eval()
    if name.endswith(("_masked_lm", "_pretrained")):
        model = model.base_model
    if hasattr(model.config, "vision_config"):
        look_at_both_sides(model, folder)
    elif hasattr(model.config, "image_size"):
        size = options.get("image_size", model.config.image_size)
        batch = 2 if "image_size" in options else 7
        vectors = look_at_images(
            model, size, batch, lambda images, output: answer_of(model, output)
        )
        write(folder / "vectors.safetensors", vectors)
    else:
        vectors = look_at_texts(model, lambda ids, mask, output: answer_of(model, output))
        write(folder / "vectors.safetensors", vectors)


with torch.no_grad():
    for index, case in enumerate(CASES):
        if len(sys.argv) == 1 or case in sys.argv[1:]:
            make(case, seed=100 + index)
