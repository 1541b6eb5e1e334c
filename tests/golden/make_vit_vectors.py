#!/usr/bin/env python3
"""Writes tests/golden/vit/<case>/: random checkpoints with what `transformers` computes of them.

Run with torch 2.11, transformers 5.24, safetensors 0.6:  python3 tests/golden/make_vit_vectors.py
Each case holds config.json, preprocessor_config.json, model.safetensors and vectors.safetensors
with images [B, c, h, w], logits [B, C] and hidden.<l> [B, T, D] (the input of layer l). Weights are
drawn wide (stddev 0.25), so that attention is far from uniform.
"""

import json
import pathlib

import torch
from safetensors.torch import save_file
from transformers import (
    DeiTConfig,
    DeiTForImageClassification,
    ViTConfig,
    ViTForImageClassification,
)

HERE = pathlib.Path(__file__).parent / "vit"
SIZES = dict(
    hidden_size=24,
    num_hidden_layers=3,
    num_attention_heads=4,
    intermediate_size=40,
    image_size=12,
    patch_size=4,
    num_channels=1,
)
CASES = {
    "vit_plain": (ViTForImageClassification, ViTConfig, dict(SIZES), 7, 5),
    "vit_no_qkv_bias": (
        ViTForImageClassification,
        ViTConfig,
        dict(SIZES, qkv_bias=False, hidden_act="gelu_new", num_channels=3, num_attention_heads=3),
        3,
        2,
    ),
    "vit_uneven": (
        ViTForImageClassification,
        ViTConfig,
        dict(
            SIZES,
            image_size=14,
            hidden_act="quick_gelu",
            num_attention_heads=6,
            layer_norm_eps=1e-6,
        ),
        1,
        11,
    ),
    "deit_relu": (DeiTForImageClassification, DeiTConfig, dict(SIZES, hidden_act="relu"), 4, 3),
}


def make(name, model_class, config_class, sizes, batch, classes, seed):
    torch.manual_seed(seed)
    config = config_class(**sizes, num_labels=classes, attn_implementation="eager")
    model = model_class(config).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.25)
    folder = HERE / name
    model.save_pretrained(folder)
    channels = sizes["num_channels"]
    (folder / "preprocessor_config.json").write_text(
        json.dumps(
            {
                "image_mean": [0.3 + 0.1 * c for c in range(channels)],
                "image_std": [0.2 + 0.1 * c for c in range(channels)],
                "resample": 3,
                "size": {"height": sizes["image_size"], "width": sizes["image_size"]},
            }
        )
        + "\n"
    )
    images = torch.randn(batch, channels, sizes["image_size"], sizes["image_size"])
    with torch.no_grad():
        output = model(images, output_hidden_states=True)
    vectors = {"images": images, "logits": output.logits}
    for layer, hidden in enumerate(output.hidden_states[: sizes["num_hidden_layers"]]):
        vectors[f"hidden.{layer}"] = hidden.contiguous()
    save_file(vectors, folder / "vectors.safetensors")


for index, (name, (model_class, config_class, sizes, batch, classes)) in enumerate(CASES.items()):
    make(name, model_class, config_class, sizes, batch, classes, seed=100 + index)
