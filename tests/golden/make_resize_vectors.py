"""Writes resize_vectors.json and decode_vectors.json: what Pillow makes of small images.

Run: python3 tests/golden/make_resize_vectors.py (needs Pillow; the files record its version).
"""

import base64
import io
import json
import pathlib
import struct
import zlib

import PIL
from PIL import Image

FOLDER = pathlib.Path(__file__).parent

# height, width -> height, width
SHAPES = [
    ((1, 1), (4, 3)),
    ((7, 5), (3, 4)),
    ((5, 7), (11, 13)),
    ((28, 28), (32, 32)),
    ((13, 29), (8, 8)),
    ((40, 3), (4, 3)),
    ((3, 40), (3, 7)),
    ((64, 48), (5, 9)),
    ((2, 200), (1, 3)),
    ((30, 8), (5, 20)),
    ((20, 20), (10, 15)),
    ((21, 20), (10, 15)),
]


def noise(count, seed):
    """Bytes of a linear congruential generator (Numerical Recipes), mirrored in the C++ test."""
    state, values = seed, bytearray()
    for _ in range(count):
        state = (1664525 * state + 1013904223) & 0xFFFFFFFF
        values.append(state >> 24)
    return bytes(values)


def resize_cases():
    for (height, width), (new_height, new_width) in SHAPES:
        for mode, channels in (("L", 1), ("RGB", 3)):
            for name, resample in (("bilinear", Image.BILINEAR), ("bicubic", Image.BICUBIC)):
                pixels = noise(height * width * channels, seed=height * 1000 + width)
                image = Image.frombytes(mode, (width, height), pixels)
                resized = image.resize((new_width, new_height), resample)
                yield {
                    "from": [height, width],
                    "to": [new_height, new_width],
                    "channels": channels,
                    "filter": name,
                    "pixels": resized.tobytes().hex(),
                }


def smooth(width, height):
    """A picture that JPEG does not blur beyond recognition."""
    image = Image.new("RGB", (width, height))
    for y in range(height):
        for x in range(width):
            image.putpixel(
                (x, y), (255 * x // width, 255 * y // height, 255 * (x + y) // (width + height))
            )
    return image


def encode(image, **options):
    stream = io.BytesIO()
    image.save(stream, **options)
    return stream.getvalue()


def deep_png(width, height, channels):
    """A 16-bit PNG; Pillow itself writes none of several channels."""

    def chunk(kind, data):
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    colour = {1: 0, 3: 2}[channels]
    raw = noise(height * width * channels * 2, seed=5)
    stride = width * channels * 2
    rows = b"".join(b"\0" + raw[y * stride : (y + 1) * stride] for y in range(height))
    header = struct.pack(">IIBBBBB", width, height, 16, colour, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


def encoded_images():
    rgb = Image.frombytes("RGB", (5, 4), noise(60, seed=1))
    grey = Image.frombytes("L", (5, 4), noise(20, seed=2))
    yield "png_rgb", encode(rgb, format="PNG")
    yield "png_grey", encode(grey, format="PNG")
    yield "png_rgba", encode(Image.frombytes("RGBA", (5, 4), noise(80, seed=3)), format="PNG")
    yield "png_grey_alpha", encode(Image.frombytes("LA", (5, 4), noise(40, seed=4)), format="PNG")
    yield "png_palette", encode(rgb.quantize(16), format="PNG")
    yield "png_palette_transparent", encode(rgb.quantize(4), format="PNG", transparency=1)
    yield "png_1_bit", encode(grey.convert("1"), format="PNG")
    yield "png_grey_2_bit", encode(grey.quantize(4).convert("L"), format="PNG", bits=2)
    yield "png_rgb_16_bit", deep_png(5, 4, 3)
    picture = smooth(19, 13)
    yield "jpeg_420", encode(picture, format="JPEG", quality=90)
    yield "jpeg_444", encode(picture, format="JPEG", quality=90, subsampling=0)
    yield "jpeg_progressive", encode(picture, format="JPEG", quality=90, progressive=True)
    yield "jpeg_grey", encode(picture.convert("L"), format="JPEG", quality=90)
    yield "jpeg_cmyk", encode(picture.convert("CMYK"), format="JPEG", quality=95)


def decode_cases():
    for name, data in encoded_images():
        image = Image.open(io.BytesIO(data))
        yield {
            "name": name,
            "height": image.height,
            "width": image.width,
            "file": base64.b64encode(data).decode(),
            "rgb": image.convert("RGB").tobytes().hex(),
            "grey": image.convert("L").tobytes().hex(),
        }


def write(name, cases):
    document = {
        "made_by": "tests/golden/make_resize_vectors.py",
        "pillow": PIL.__version__,
        "cases": list(cases),
    }
    (FOLDER / name).write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    write("resize_vectors.json", resize_cases())
    write("decode_vectors.json", decode_cases())
