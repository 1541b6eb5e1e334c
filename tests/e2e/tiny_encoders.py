"""Random checkpoints of each family in few kilobytes, as save_pretrained lays them out.

Standard library only.
"""

import json
import math
import random

from safetensors_file import safetensors

WIDTH, LAYERS, HEADS, MLP, CLASSES = 24, 1, 12, 32, 3
SIDE, PATCH = 16, 8
NAMES = ["first", "second", "third"]


class Tensors(dict):
    def __init__(self, seed=1):
        super().__init__()
        self.draw = random.Random(seed)

    def matrix(self, name, *shape):
        scale = 1.0 / math.sqrt(3 * shape[-1])
        self[name] = (shape, [self.draw.gauss(0.0, scale) for _ in range(math.prod(shape))])

    def vector(self, name, value, size=WIDTH):
        self[name] = ((size,), [value] * size)

    def norm(self, name):
        self.vector(f"{name}.weight", 1.0)
        self.vector(f"{name}.bias", 0.0)

    def linear(self, name, rows, columns):
        self.matrix(f"{name}.weight", rows, columns)
        self.vector(f"{name}.bias", 0.0, rows)


def write(folder, config, tensors, others=()):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "model.safetensors").write_bytes(safetensors(tensors))
    for name, text in others:
        (folder / name).write_text(text)


def image_config(kind, architecture, head_keys=()):
    config = {
        "model_type": kind,
        "architectures": [architecture],
        "hidden_size": WIDTH,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "intermediate_size": MLP,
        "image_size": SIDE,
        "patch_size": PATCH,
        "num_channels": 3,
    }
    config.update(head_keys)
    return config


def labels():
    return {"id2label": {str(i): name for i, name in enumerate(NAMES)}}


def image_embeddings(tensors, root):
    tokens = (SIDE // PATCH) ** 2 + 1
    tensors.matrix(f"{root}embeddings.cls_token", 1, 1, WIDTH)
    tensors.matrix(f"{root}embeddings.position_embeddings", 1, tokens, WIDTH)
    tensors.matrix(f"{root}embeddings.patch_embeddings.projection.weight", WIDTH, 3, PATCH, PATCH)
    tensors.vector(f"{root}embeddings.patch_embeddings.projection.bias", 0.0)


def image_layer(tensors, prefix, names):
    for part in ("query", "key", "value"):
        tensors.linear(f"{prefix}.attention.attention.{part}", WIDTH, WIDTH)
    tensors.linear(f"{prefix}.attention.output.dense", WIDTH, WIDTH)
    tensors.norm(f"{prefix}.{names['norm1']}")
    tensors.norm(f"{prefix}.{names['norm2']}")
    tensors.linear(f"{prefix}.{names['fc1']}", names["mlp"], WIDTH)
    tensors.linear(f"{prefix}.{names['fc2']}", WIDTH, names["mlp"])


def make_vit(folder, classifier):
    """With a classifier, or the bare encoder that is tuned from."""
    root = "vit." if classifier else ""
    names = {
        "norm1": "layernorm_before",
        "norm2": "layernorm_after",
        "fc1": "intermediate.dense",
        "fc2": "output.dense",
        "mlp": MLP,
    }
    tensors = Tensors()
    image_embeddings(tensors, root)
    for layer in range(LAYERS):
        image_layer(tensors, f"{root}encoder.layer.{layer}", names)
    tensors.norm(f"{root}layernorm")
    if classifier:
        tensors.linear("classifier", CLASSES, WIDTH)
    kind = "ViTForImageClassification" if classifier else "ViTModel"
    write(folder, image_config("vit", kind, labels() if classifier else ()), tensors)


def make_dinov2(folder):
    names = {
        "norm1": "norm1",
        "norm2": "norm2",
        "fc1": "mlp.fc1",
        "fc2": "mlp.fc2",
        "mlp": 2 * WIDTH,
    }
    tensors = Tensors()
    image_embeddings(tensors, "dinov2.")
    for layer in range(LAYERS):
        prefix = f"dinov2.encoder.layer.{layer}"
        image_layer(tensors, prefix, names)
        tensors.vector(f"{prefix}.layer_scale1.lambda1", 0.5)
        tensors.vector(f"{prefix}.layer_scale2.lambda1", 0.5)
    tensors.norm("dinov2.layernorm")
    tensors.linear("classifier", CLASSES, 2 * WIDTH)
    config = image_config("dinov2", "Dinov2ForImageClassification", labels() | {"mlp_ratio": 2})
    write(folder, config, tensors)


def make_bert(folder, words):
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *sorted(words)]
    tensors = Tensors()
    tensors.matrix("embeddings.word_embeddings.weight", len(vocabulary), WIDTH)
    tensors.matrix("embeddings.position_embeddings.weight", 32, WIDTH)
    tensors.matrix("embeddings.token_type_embeddings.weight", 2, WIDTH)
    tensors.norm("embeddings.LayerNorm")
    for layer in range(LAYERS):
        prefix = f"encoder.layer.{layer}"
        for part in ("query", "key", "value"):
            tensors.linear(f"{prefix}.attention.self.{part}", WIDTH, WIDTH)
        tensors.linear(f"{prefix}.attention.output.dense", WIDTH, WIDTH)
        tensors.norm(f"{prefix}.attention.output.LayerNorm")
        tensors.linear(f"{prefix}.intermediate.dense", MLP, WIDTH)
        tensors.linear(f"{prefix}.output.dense", WIDTH, MLP)
        tensors.norm(f"{prefix}.output.LayerNorm")
    tensors.linear("pooler.dense", WIDTH, WIDTH)
    config = {
        "model_type": "bert",
        "architectures": ["BertModel"],
        "hidden_size": WIDTH,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "intermediate_size": MLP,
        "max_position_embeddings": 32,
        "vocab_size": len(vocabulary),
        "pad_token_id": 0,
    }
    write(folder, config, tensors, [("vocab.txt", "\n".join(vocabulary) + "\n")])


def clip_layer(tensors, prefix):
    for part in ("q_proj", "k_proj", "v_proj", "out_proj"):
        tensors.linear(f"{prefix}.self_attn.{part}", WIDTH, WIDTH)
    tensors.norm(f"{prefix}.layer_norm1")
    tensors.norm(f"{prefix}.layer_norm2")
    tensors.linear(f"{prefix}.mlp.fc1", MLP, WIDTH)
    tensors.linear(f"{prefix}.mlp.fc2", WIDTH, MLP)


def clip_tokenizer(words):
    """Whole words between a begin and an end, which closes every text."""
    tokens = ["<begin>", "<unknown>", *sorted(words), "<end>"]
    vocabulary = {token: place for place, token in enumerate(tokens)}
    ends = [("<begin>", 0), ("<end>", len(tokens) - 1)]
    document = {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [
                {"SpecialToken": {"id": "<begin>", "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}},
                {"SpecialToken": {"id": "<end>", "type_id": 0}},
            ],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}],
            "special_tokens": {
                name: {"id": name, "ids": [place], "tokens": [name]} for name, place in ends
            },
        },
        "model": {
            "type": "WordPiece",
            "unk_token": "<unknown>",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": vocabulary,
        },
    }
    return len(tokens), json.dumps(document)


def make_clip(folder, words):
    joint, positions = 8, 24
    size, tokenizer = clip_tokenizer(words)
    tensors = Tensors()
    vision, text = "vision_model", "text_model"
    tensors.matrix(f"{vision}.embeddings.class_embedding", WIDTH)
    tensors.matrix(f"{vision}.embeddings.patch_embedding.weight", WIDTH, 3, PATCH, PATCH)
    tokens = (SIDE // PATCH) ** 2 + 1
    tensors.matrix(f"{vision}.embeddings.position_embedding.weight", tokens, WIDTH)
    tensors.matrix(f"{text}.embeddings.token_embedding.weight", size, WIDTH)
    tensors.matrix(f"{text}.embeddings.position_embedding.weight", positions, WIDTH)
    for name in ("vision_model.pre_layrnorm", "vision_model.post_layernorm"):
        tensors.norm(name)
    tensors.norm("text_model.final_layer_norm")
    for layer in range(LAYERS):
        for root in (vision, text):
            clip_layer(tensors, f"{root}.encoder.layers.{layer}")
    tensors.matrix("visual_projection.weight", joint, WIDTH)
    tensors.matrix("text_projection.weight", joint, WIDTH)
    tensors["logit_scale"] = ((), [3.0])
    sizes = {
        "hidden_size": WIDTH,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "intermediate_size": MLP,
    }
    config = {
        "model_type": "clip",
        "architectures": ["CLIPModel"],
        "projection_dim": joint,
        "vision_config": sizes | {"image_size": SIDE, "patch_size": PATCH},
        "text_config": sizes
        | {"vocab_size": size, "max_position_embeddings": positions, "eos_token_id": size - 1},
    }
    write(folder, config, tensors, [("tokenizer.json", tokenizer)])
