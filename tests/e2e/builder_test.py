"""hydra-builder killed at random moments: the next run goes on and ends with the same weights.

HYDRA_BUILDER names the program.
"""

import json
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

from grey_png import png

BUILDER = pathlib.Path(os.environ["HYDRA_BUILDER"])
SIDE = 8
CLASSES = 3
NAMES = ["left", "right", "bottom"]
KILLS = 12
MAX_RUNS = 60
RUN_SECONDS = 120

RECIPE = """\
data:
  pool: {kind: idx, images: images, labels: labels}
  label_names: [left, right, bottom]
  splits: {select: 60, fit: 60, path: 60, certify: 120, conformal: 60}
train:
  {patch_size: 4, width: 16, layers: 2, heads: 4, mlp: 32, epochs: 12, batch: 8, save_every: 7}
select: {keep: 2, overlap_penalty: 1}
finetune: {steps: 40, batch: 20, save_every: 7}
calibrate: {cuts: 10, alphas: [0.2]}
evaluate: {resamples: 20}
pack: {name: tiny}
"""


def draw_image(draw, label):
    """SIDE x SIDE grey pixels: noise with a bright quarter that tells the class."""
    quarters = (2 * (y // (SIDE // 2)) + x // (SIDE // 2) for y in range(SIDE) for x in range(SIDE))
    return bytes(draw.randrange(130) + (120 if quarter == label else 0) for quarter in quarters)


def make_data(count):
    draw = random.Random(1)
    labels = [draw.randrange(CLASSES) for _ in range(count)]
    return [(label, draw_image(draw, label)) for label in labels]


def write_idx(folder, data):
    images = struct.pack(">IIII", 0x803, len(data), SIDE, SIDE)
    (folder / "images").write_bytes(images + b"".join(image for _, image in data))
    labels = struct.pack(">II", 0x801, len(data))
    (folder / "labels").write_bytes(labels + bytes(label for label, _ in data))


def write_folder(folder, data):
    for index, (label, image) in enumerate(data):
        place = folder / NAMES[label]
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{index}.png").write_bytes(png(SIDE, SIDE, image))


def write_table(path, data, folder):
    lines = ["image,label"]
    for index, (label, image) in enumerate(data):
        (folder / f"{index}.png").write_bytes(png(SIDE, SIDE, image))
        lines.append(f"{folder.name}/{index}.png,{NAMES[label]}")
    path.write_text("\n".join(lines) + "\n")


class BuilderTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(prefix="hydra-builder-")
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        cls.data = make_data(600)
        write_idx(cls.folder, cls.data)
        (cls.folder / "recipe.yaml").write_text(RECIPE)
        started = time.monotonic()
        code, out, errors = cls.run_builder(*cls.command("calm")[1:])
        cls.build_seconds = time.monotonic() - started
        assert code == 0, out + errors
        cls.checkpoint = next((cls.folder / "calm-work").glob("train-*"))

    @classmethod
    def command(cls, name, recipe="recipe.yaml"):
        return [
            BUILDER,
            "build",
            cls.folder / recipe,
            "--work",
            cls.folder / f"{name}-work",
            "--out",
            cls.folder / name,
        ]

    @classmethod
    def run_builder(cls, *arguments):
        done = subprocess.run(
            [BUILDER, *arguments], capture_output=True, text=True, timeout=RUN_SECONDS, check=False
        )
        return done.returncode, done.stdout, done.stderr

    def build(self, name):
        code, out, errors = self.run_builder(*self.command(name)[1:])
        self.assertEqual(code, 0, out + errors)
        return out

    def facts(self, name):
        code, out, errors = self.run_builder("inspect", self.folder / name, "--json")
        self.assertEqual(code, 0, errors)
        return json.loads(out)

    def killed_after(self, name, seconds):
        """Starts a build and kills it after so many seconds; True if it was still running."""
        process = subprocess.Popen(
            self.command(name), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            process.wait(timeout=seconds)
            self.assertEqual(process.returncode, 0)
            return False
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            return True

    def test_killed_at_random_moments_ends_with_the_same_weights(self):
        draw = random.Random(7)
        killed = 0
        for _ in range(MAX_RUNS):
            # Long enough to get somewhere, short enough to be killed in each step by turns.
            if not self.killed_after("stormy", self.build_seconds * draw.uniform(0.05, 0.5)):
                break
            killed += 1
            if killed == KILLS:
                break
        self.assertGreater(killed, 0)
        self.build("stormy")
        calm, stormy = self.facts("calm"), self.facts("stormy")
        self.assertEqual(calm["weights_digest"], stormy["weights_digest"])
        self.assertEqual(calm["temperature"], stormy["temperature"])
        self.assertEqual(calm["splits"], stormy["splits"])
        left = [path.name for path in (self.folder / "stormy-work").glob("*.partial")]
        self.assertEqual(left, [])

    def wrapped(self, name, data):
        code, out, errors = self.run_builder(
            "wrap", "--checkpoint", self.checkpoint, "--data", data, "--out", self.folder / name
        )
        self.assertEqual(code, 0, out + errors)
        return self.facts(name)

    def test_wrap_reads_the_same_images_in_every_format(self):
        pngs = self.folder / "pngs"
        pngs.mkdir()
        write_folder(self.folder / "classes", self.data)
        write_table(self.folder / "table.csv", self.data, pngs)
        idx = self.wrapped("a", f"idx:{self.folder}/images,{self.folder}/labels")
        folder = self.wrapped("b", f"image_folder:{self.folder}/classes")
        table = self.wrapped("c", f"csv:{self.folder}/table.csv")
        self.assertEqual(idx["members"], 1)
        for other in (folder, table):
            self.assertEqual(other["splits"], idx["splits"])
            self.assertEqual(other["certificates"], idx["certificates"])

    def test_wrap_refuses_a_class_that_the_checkpoint_does_not_know(self):
        write_folder(self.folder / "others", self.data)
        (self.folder / "others" / "left").rename(self.folder / "others" / "elsewhere")
        code, _, errors = self.run_builder(
            "wrap",
            "--checkpoint",
            self.checkpoint,
            "--data",
            f"image_folder:{self.folder}/others",
            "--out",
            self.folder / "never",
        )
        self.assertEqual(code, 1)
        self.assertIn("elsewhere", errors)

    def test_unknown_recipe_key_names_path_line_and_nearest(self):
        (self.folder / "wrong.yaml").write_text(RECIPE.replace("keep:", "kept:"))
        code, _, errors = self.run_builder(*self.command("never", "wrong.yaml")[1:])
        self.assertEqual(code, 1)
        self.assertIn("select.kept", errors)
        self.assertIn("keep", errors)
        self.assertFalse((self.folder / "never").exists())

    def test_verify_of_a_damaged_file_names_it(self):
        damaged = self.folder / "damaged"
        shutil.copytree(self.folder / "calm", damaged)
        weights = damaged / "weights.safetensors"
        changed = bytearray(weights.read_bytes())
        changed[-1] ^= 1
        weights.write_bytes(changed)
        code, _, errors = self.run_builder("verify", damaged)
        self.assertEqual(code, 1)
        self.assertIn("weights.safetensors", errors)


if __name__ == "__main__":
    if not BUILDER.exists():
        sys.exit(77)
    unittest.main()
