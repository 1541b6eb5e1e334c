"""hydra-builder killed at random moments: the next run goes on and ends with the same weights.

HYDRA_BUILDER names the program.
"""

import json
import os
import pathlib
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

BUILDER = pathlib.Path(os.environ["HYDRA_BUILDER"])
SIDE = 8
CLASSES = 3
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


def write_data(folder, count):
    draw = random.Random(1)
    images = struct.pack(">IIII", 0x803, count, SIDE, SIDE)
    labels = struct.pack(">II", 0x801, count)
    for _ in range(count):
        label = draw.randrange(CLASSES)
        labels += bytes([label])
        for y in range(SIDE):
            for x in range(SIDE):
                quarter = 2 * (y // (SIDE // 2)) + x // (SIDE // 2)
                images += bytes([draw.randrange(130) + (120 if quarter == label else 0)])
    (folder / "images").write_bytes(images)
    (folder / "labels").write_bytes(labels)


class BuilderTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="hydra-builder-")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        write_data(self.folder, 600)
        (self.folder / "recipe.yaml").write_text(RECIPE)

    def command(self, name):
        return [
            BUILDER,
            "build",
            self.folder / "recipe.yaml",
            "--work",
            self.folder / f"{name}-work",
            "--out",
            self.folder / name,
        ]

    def run_builder(self, *arguments):
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
        started = time.monotonic()
        self.build("calm")
        whole = time.monotonic() - started
        draw = random.Random(7)
        killed = 0
        for _ in range(MAX_RUNS):
            # Long enough to get somewhere, short enough to be killed in each step by turns.
            if not self.killed_after("stormy", whole * draw.uniform(0.05, 0.5)):
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

    def test_unknown_recipe_key_names_path_line_and_nearest(self):
        (self.folder / "recipe.yaml").write_text(RECIPE.replace("keep:", "kept:"))
        code, _, errors = self.run_builder(*self.command("never")[1:])
        self.assertEqual(code, 1)
        self.assertIn("select.kept", errors)
        self.assertIn("keep", errors)
        self.assertFalse((self.folder / "never").exists())

    def test_verify_of_a_damaged_file_names_it(self):
        self.build("bundle")
        weights = self.folder / "bundle" / "weights.safetensors"
        changed = bytearray(weights.read_bytes())
        changed[-1] ^= 1
        weights.write_bytes(changed)
        code, _, errors = self.run_builder("verify", self.folder / "bundle")
        self.assertEqual(code, 1)
        self.assertIn("weights.safetensors", errors)


if __name__ == "__main__":
    if not BUILDER.exists():
        sys.exit(77)
    unittest.main()
