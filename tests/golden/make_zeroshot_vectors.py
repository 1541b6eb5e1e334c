#!/usr/bin/env python3
"""Writes tests/golden/zeroshot/<case>/: what `transformers` says about images and prompts.

Run with torch 2.11, transformers 5.24, safetensors 0.8:
    python3 tests/golden/make_zeroshot_vectors.py
after every run of make_encoder_vectors.py.  Each case adds a tokenizer to the two-sided checkpoint
tests/golden/encoders/<case> and holds vectors.safetensors: images [B, c, h, w] and logits_per_image
[B, C] for the prompts of CLASSES with the one template TEMPLATE.
"""

import json
import pathlib

import torch
import transformers as hf
from safetensors.torch import save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

HERE = pathlib.Path(__file__).parent
TEMPLATE = "a photo of a {}."
CLASSES = ["red cat", "boat", "very tall tree"]
WORDS = ["a", "photo", "of", ".", "red", "cat", "boat", "very", "tall", "tree"]
CASES = {"clip": ("[BOS]", 3, "[EOS]", 36), "dual_vit_bert": ("[CLS]", 2, "[SEP]", 3)}


def make_tokenizer(begin, begin_id, end, end_id):
    vocabulary = {"[PAD]": 0, "[UNK]": 1, begin: begin_id, end: end_id}
    vocabulary.update({word: 4 + i for i, word in enumerate(WORDS)})
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{begin} $A {end}", special_tokens=[(begin, begin_id), (end, end_id)]
    )
    return tokenizer


def make(case, specials):
    folder = HERE / "zeroshot" / case
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = make_tokenizer(*specials)
    text = json.dumps(json.loads(tokenizer.to_str())) + "\n"
    (folder / "tokenizer.json").write_text(text)
    prompts = [TEMPLATE.format(name) for name in CLASSES]
    encoded = [tokenizer.encode(prompt).ids for prompt in prompts]
    longest = max(map(len, encoded))
    ids = torch.tensor([row + [0] * (longest - len(row)) for row in encoded])
    mask = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in encoded])
    model = hf.AutoModel.from_pretrained(HERE / "encoders" / case, dtype=torch.float32).eval()
    vision = model.config.vision_config
    torch.manual_seed(7)
    images = torch.randn(5, vision.num_channels, vision.image_size, vision.image_size)
    output = model(input_ids=ids, attention_mask=mask, pixel_values=images)
    vectors = {"images": images, "logits_per_image": output.logits_per_image.contiguous()}
    save_file(vectors, folder / "vectors.safetensors")


with torch.no_grad():
    for name, special_tokens in CASES.items():
        make(name, special_tokens)
