"""A small text task: FOLDER/base, a random BERT with its vocabulary, and JSON lines of intents.

    tiny_text.py FOLDER

The encoder learns the intents from scratch: FOLDER/{pool,test,out_of_scope}.jsonl.
"""

import itertools
import json
import math
import pathlib
import random
import sys

from safetensors_file import safetensors

WIDTH, LAYERS, HEADS, MLP, POSITIONS = 32, 2, 4, 64, 24
INTENTS = {
    "alarm": ("wake me up", "set an alarm", "ring the clock", "start the timer", "rouse me"),
    "balance": ("how much money is left", "show my balance", "what is in my account", "my funds"),
    "book_table": ("reserve a table", "book a seat for dinner", "find a restaurant", "dine out"),
    "lights": ("turn the lamp off", "switch the light on", "dim the lamps", "make it darker"),
    "music": ("play a song", "put some jazz on", "next track", "louder music", "shuffle songs"),
    "route": ("how do i get there", "show the way", "directions to town", "fastest road home"),
    "translate": ("say this in french", "translate the word", "what is hello in german"),
    "weather": ("will it rain", "is it sunny", "temperature outside", "do i need an umbrella"),
}
BEFORE = "|please|could you|hey|now|i want to know|quick|tell me|so|well".split("|")
AFTER = "|today|tomorrow|at noon|for two|at home|thanks|this evening|again|soon".split("|")
WRONG_LABELS = 0.06  # people mark wrongly; without it nothing would be uncertain
STRANGE = ("who wrote the oldest poem", "do cats dream of mice", "why is the sea salty")
FILLER = ("really", "ever", "exactly", "once", "by night", "in spring", "or not", "then")
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def queries():
    for intent, phrases in INTENTS.items():
        for before, phrase, after in itertools.product(BEFORE, phrases, AFTER):
            yield {"text": " ".join(f"{before} {phrase} {after}".split()), "label": intent}


def mislabel(rows, draw):
    for row in rows:
        if draw.random() < WRONG_LABELS:
            row["label"] = draw.choice(sorted(INTENTS))


def strange():
    for text, first, second in itertools.product(STRANGE, FILLER, FILLER):
        yield {"text": f"{text} {first} {second}"}


def write_lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def draw_tensors(draw, vocabulary):
    def matrix(rows, columns, stddev=None):
        scale = stddev or 1.0 / math.sqrt(3 * columns)
        return (rows, columns), [draw.gauss(0.0, scale) for _ in range(rows * columns)]

    def vector(size, value):
        return (size,), [value] * size

    tensors = {
        "embeddings.word_embeddings.weight": matrix(vocabulary, WIDTH, 0.1),
        "embeddings.position_embeddings.weight": matrix(POSITIONS, WIDTH, 0.02),
        "embeddings.token_type_embeddings.weight": matrix(2, WIDTH, 0.02),
    }

    def norm(name):
        tensors[f"{name}.weight"] = vector(WIDTH, 1.0)
        tensors[f"{name}.bias"] = vector(WIDTH, 0.0)

    def linear(name, rows, columns):
        tensors[f"{name}.weight"] = matrix(rows, columns)
        tensors[f"{name}.bias"] = vector(rows, 0.0)

    norm("embeddings.LayerNorm")
    for layer in range(LAYERS):
        prefix = f"encoder.layer.{layer}"
        for part in ("query", "key", "value"):
            linear(f"{prefix}.attention.self.{part}", WIDTH, WIDTH)
        linear(f"{prefix}.attention.output.dense", WIDTH, WIDTH)
        norm(f"{prefix}.attention.output.LayerNorm")
        linear(f"{prefix}.intermediate.dense", MLP, WIDTH)
        linear(f"{prefix}.output.dense", WIDTH, MLP)
        norm(f"{prefix}.output.LayerNorm")
    linear("pooler.dense", WIDTH, WIDTH)
    return tensors


def write_base(folder, words):
    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = [*SPECIAL, *sorted(words)]
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n")
    config = {
        "model_type": "bert",
        "architectures": ["BertModel"],
        "hidden_size": WIDTH,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "intermediate_size": MLP,
        "max_position_embeddings": POSITIONS,
        "type_vocab_size": 2,
        "vocab_size": len(vocabulary),
        "pad_token_id": 0,
    }
    (folder / "config.json").write_text(json.dumps(config))
    tensors = draw_tensors(random.Random(5), len(vocabulary))
    (folder / "model.safetensors").write_bytes(safetensors(tensors))


def make(folder):
    folder.mkdir(parents=True, exist_ok=True)
    rows = list(queries())
    draw = random.Random(3)
    draw.shuffle(rows)
    mislabel(rows, draw)
    write_lines(folder / "pool.jsonl", rows[300:])
    write_lines(folder / "test.jsonl", rows[:300])
    write_lines(folder / "out_of_scope.jsonl", strange())
    # Words of half of the strange queries are unknown to the vocabulary.
    write_base(folder / "base", {word for row in rows for word in row["text"].split()})


if __name__ == "__main__":
    make(pathlib.Path(sys.argv[1]))
