"""The demo's base learns again as its committed curve says: the first epoch, same recipe and seed.

Exit status 77 means skipped: the dataset is not installed.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
BUILDER = pathlib.Path(os.environ["HYDRA_BUILDER"])
RECIPE = ROOT / "deploy/recipes/fashion-mnist-base.yaml"
CURVE = ROOT / "deploy/recipes/fashion-mnist-base/train.json"
IMAGES = pathlib.Path("/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz")
MEASURE = re.compile(
    r"step (\d+)/(\d+)  loss ([\d.]+)  select: loss ([\d.]+)  accuracy ([\d.]+) %"
)
# Another CPU rounds bfloat16 products otherwise; a wrong gradient or schedule differs by more.
LOSS_TOLERANCE = 0.05
ACCURACY_POINTS = 4.0


def first_measure(out):
    """(step, steps, train loss, held-out loss, held-out accuracy) after the first epoch."""
    trainer = subprocess.Popen(
        [BUILDER, "train", "--recipe", RECIPE, "--out", out],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    with trainer:
        said = []
        try:
            for line in trainer.stdout:
                said.append(line)
                match = MEASURE.search(line)
                if match:
                    return [float(value) for value in match.groups()]
        finally:
            trainer.kill()
    raise AssertionError("no epoch ended:\n" + "".join(said))


class TrainingTest(unittest.TestCase):
    def test_first_epoch_follows_the_recorded_curve(self):
        curve = json.loads(CURVE.read_text())["curve"]
        recorded = curve[0]
        with tempfile.TemporaryDirectory(prefix="hydra-training-") as scratch:
            step, steps, train_loss, loss, accuracy = first_measure(f"{scratch}/base")
        self.assertEqual((step, steps), (recorded["step"], curve[-1]["step"]))
        self.assertAlmostEqual(train_loss, recorded["train_loss"], delta=LOSS_TOLERANCE)
        self.assertAlmostEqual(loss, recorded["held_out_loss"], delta=LOSS_TOLERANCE)
        self.assertAlmostEqual(
            accuracy, 100 * recorded["held_out_accuracy"], delta=ACCURACY_POINTS
        )


if __name__ == "__main__":
    if not IMAGES.exists():
        print(f"SKIPPED: needs {IMAGES}")
        sys.exit(77)
    unittest.main()
