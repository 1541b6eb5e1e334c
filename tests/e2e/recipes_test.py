"""Every recipe for data that CI does not have, tried on tiny checkpoints of its family.

The recipe is copied to a tree of its own, where the paths that it names lead to generated data; its
sizes are scaled down, everything else stays.  First the dry run, then the whole build.
"""

import json
import os
import pathlib
import random
import re
import subprocess
import tempfile
import unittest

import tiny_encoders
from grey_png import png

ROOT = pathlib.Path(__file__).parents[2]
BUILDER = pathlib.Path(os.environ["HYDRA_BUILDER"])
SIDE = tiny_encoders.SIDE
# Tiny sizes for what a recipe does with millions of parameters and examples.
SCALED = [
    (r"^    select: \d+", "    select: 30"),
    (r"^    fit: \d+", "    fit: 30"),
    (r"^    path: \d+", "    path: 30"),
    (r"^    certify: \d+", "    certify: 60"),
    (r"^    conformal: \d+", "    conformal: 30"),
    (r"^  steps: \d+", "  steps: 2"),
    (r"^  epochs: \d+", "  epochs: 1"),
    (r"^  warmup: \d+", "  warmup: 2"),
    (r"^  batch: \d+", "  batch: 16"),
    # Sixty rows of noise certify no risk, which pack refuses.
    (r"^  policy_risk: .*", "  policy_coverage: 0.8"),
]


def write_images(folder, names, count, seed):
    draw = random.Random(seed)
    for index in range(count):
        place = folder / names[index % len(names)]
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{index}.png").write_bytes(png(SIDE, SIDE, draw.randbytes(SIDE * SIDE)))


def write_texts(path, labels, count, seed):
    draw = random.Random(seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = []
    for index in range(count):
        line = {"text": f"w{index} " + " ".join(draw.choices("abcdefgh", k=6))}
        if labels:
            line["label"] = labels[index % len(labels)]
        lines.append(json.dumps(line) + "\n")
    path.write_text("".join(lines))


class RecipesTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="hydra-recipes-")
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)

    def run_builder(self, *arguments):
        done = subprocess.run(
            [BUILDER, *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def try_recipe(self, name):
        text = (ROOT / f"deploy/recipes/{name}.yaml").read_text()
        for pattern, replacement in SCALED:
            text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
        recipe = self.root / f"deploy/recipes/{name}.yaml"
        recipe.parent.mkdir(parents=True, exist_ok=True)
        recipe.write_text(text)
        out = self.root / f"{name}-bundle"
        said = self.run_builder("build", recipe, "--dry-run", "--out", out)
        self.assertIn("base ran on 8 rows", said)
        self.assertFalse(out.exists())
        self.run_builder("build", recipe, "--out", out)
        facts = json.loads(self.run_builder("inspect", "--json", out))
        self.assertEqual(facts["members"], 3)

    def imagenet(self):
        ids = ["n01", "n02", "n03"]
        write_images(self.root / "data/imagenet/tune", ids, 260, 1)
        write_images(self.root / "data/imagenet/val", ids, 30, 2)
        write_images(self.root / "data/imagenet-o", ["all"], 20, 3)

    def test_vit_base_imagenet(self):
        self.imagenet()
        tiny_encoders.make_vit(self.root / "models/vit-base-patch16-224", classifier=True)
        self.try_recipe("vit-base-imagenet")

    def test_vit_base_cifar100(self):
        names = ["apple", "bee", "cup"]
        write_images(self.root / "data/cifar100/train", names, 260, 1)
        write_images(self.root / "data/cifar100/test", names, 30, 2)
        write_images(self.root / "data/svhn", ["all"], 20, 3)
        tiny_encoders.make_vit(self.root / "models/vit-base-patch16-224-in21k", classifier=False)
        self.try_recipe("vit-base-cifar100")

    def test_bert_sst2(self):
        write_texts(self.root / "data/sst2/train.jsonl", ["negative", "positive"], 260, 1)
        write_texts(self.root / "data/sst2/dev.jsonl", ["negative", "positive"], 30, 2)
        write_texts(self.root / "data/imdb/test.jsonl", [], 20, 3)
        tiny_encoders.make_bert(self.root / "models/bert-base-uncased", set("abcdefgh"))
        self.try_recipe("bert-sst2")

    def test_dinov2(self):
        self.imagenet()
        for size in ("small", "base"):
            model = self.root / f"models/dinov2-{size}-imagenet1k-1-layer"
            tiny_encoders.make_dinov2(model)
            self.try_recipe(f"dinov2-{size}-imagenet")

    def test_openclip_imagenet(self):
        self.imagenet()
        (self.root / "data/imagenet/names.txt").write_text("cat\nbee\ncup\n")
        model = self.root / "models/CLIP-ViT-B-32-laion2B-s34B-b79K"
        tiny_encoders.make_clip(model, {"a", "photo", "of", "cat", "bee", "cup"})
        self.try_recipe("openclip-imagenet")


if __name__ == "__main__":
    unittest.main()
