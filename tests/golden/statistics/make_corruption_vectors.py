"""Writes tests/golden/statistics/corruptions.json: blurred, rotated and flattened images.

Run: python3 tests/golden/statistics/make_corruption_vectors.py (needs numpy and scipy; the file
records their versions.  The committed file was made with scipy 1.17.1 and numpy 2.4.6).

scipy.ndimage blurs (reflected edges, cut at 4 sd) and rotates (bilinear, zeros outside); both
directions of a rotation are given, since the side is drawn.
"""

import json
import pathlib

import numpy as np
import scipy
from scipy import ndimage

RNG = np.random.default_rng(20240609)
BLUR = (0.5, 0.75, 1.0, 1.5, 2.0)
DEGREES = (10.0, 20.0, 30.0, 45.0, 60.0)
CONTRAST = (0.7, 0.5, 0.35, 0.2, 0.1)


def to_bytes(values):
    return np.clip(np.floor(values + 0.5), 0, 255).astype(int).ravel().tolist()


def per_channel(image, change):
    return to_bytes(np.stack([change(channel) for channel in image]))


def rotated(image, degrees):
    return per_channel(
        image,
        lambda c: ndimage.rotate(c, degrees, reshape=False, order=1, mode="grid-constant"),
    )


def case(channels, height, width):
    image = RNG.integers(0, 256, (channels, height, width)).astype(float)
    image[:, height // 3 :, width // 3 :] *= 0.3
    image = np.floor(image)
    side = min(height, width) / 28
    return {
        "shape": [channels, height, width],
        "image": image.astype(int).ravel().tolist(),
        "blur": [per_channel(image, lambda c, s=s: ndimage.gaussian_filter(c, s * side))
                 for s in BLUR],
        "rotation": [[rotated(image, d), rotated(image, -d)] for d in DEGREES],
        "contrast": [per_channel(image, lambda c, k=k: c.mean() + k * (c - c.mean()))
                     for k in CONTRAST],
    }


def main():
    document = {
        "versions": {"scipy": scipy.__version__, "numpy": np.__version__},
        "cases": [case(1, 14, 14), case(3, 9, 16)],
    }
    path = pathlib.Path(__file__).parent / "corruptions.json"
    path.write_text(json.dumps(document, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
