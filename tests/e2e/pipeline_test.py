"""hydra-builder on real images: cached steps, wrap, verify, inspect."""

import json
import subprocess
import unittest

import harness

RECIPE = harness.pathlib.Path(__file__).with_name("tiny.yaml")
TRAIN_IMAGES = harness.FASHION / "train-images-idx3-ubyte.gz"
TRAIN_LABELS = harness.FASHION / "train-labels-idx1-ubyte.gz"
WORK = harness.BUNDLE.parent / "work"


def builder(*arguments):
    return subprocess.run(
        [harness.BIN / "hydra-builder", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


class PipelineTest(harness.EndToEndCase):
    def test_second_build_trains_nothing_and_gives_the_same_bundle(self):
        out = self.folder / "again"
        done = builder("build", RECIPE, "--work", WORK, "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("step 1/", done.stdout + done.stderr)
        first = (harness.BUNDLE / "SHA256SUMS").read_bytes()
        self.assertEqual((out / "SHA256SUMS").read_bytes(), first)

    def test_verify_accepts_the_bundle_and_refuses_a_flipped_byte(self):
        done = builder("verify", harness.BUNDLE)
        self.assertEqual(done.returncode, 0, done.stderr)
        copy = self.copy_of_bundle()
        weights = copy / "weights.safetensors"
        raw = bytearray(weights.read_bytes())
        raw[-1] ^= 1
        weights.write_bytes(raw)
        done = builder("verify", copy)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("weights.safetensors", done.stderr)

    def test_inspect_tells_members_and_heads(self):
        done = builder("inspect", "--json", harness.BUNDLE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('"members"', done.stdout)
        json.loads(done.stdout)

    def test_wrong_recipe_key_is_named_with_its_line(self):
        recipe = self.folder / "wrong.yaml"
        recipe.write_text(RECIPE.read_text().replace("\nselect:", "\nselct:"))
        done = builder("build", recipe, "--work", self.folder / "w", "--out", self.folder / "b")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("selct", done.stderr)
        self.assertRegex(done.stderr, r"wrong\.yaml:\d+")


class WrapTest(harness.EndToEndCase):
    def test_wrapped_checkpoint_is_served_with_one_member(self):
        # An older build's step may lie beside it.
        steps = [path for path in WORK.glob("train-*") if not path.suffix]
        checkpoint = max(steps, key=lambda path: path.stat().st_mtime)
        bundle = self.folder / "wrapped"
        data = f"idx:{TRAIN_IMAGES},{TRAIN_LABELS};limit=6000"
        done = builder("wrap", "--checkpoint", checkpoint, "--data", data, "--out", bundle)
        self.assertEqual(done.returncode, 0, done.stderr)
        served = self.server(bundle).ready()
        _, answers, _ = served.hydra(
            "predict", "--idx", harness.FASHION / "t10k-images-idx3-ubyte.gz", "--count", 3
        )
        for answer in answers:
            self.assertEqual(answer["members_used"], 1)
            self.assertNotIn("epistemic_nats", answer["uncertainty"])


if __name__ == "__main__":
    unittest.main()
