"""Writes processor_vectors.json: hard images and what the reference makes of them.

The reference is transformers.image_utils.load_image, then the PIL image processors.
Run: python3 tests/golden/make_processor_vectors.py (made with Pillow 13.0.0, transformers 5.24.0
and numpy 2.4.6; the file records the versions it was made with).

Each image goes through every processor with its default size, of which the sha256 of the pixels
and some pixel values are kept, and through one small setting, of which all pixels are kept.
Pixels are round((x * std + mean) / rescale_factor) as bytes, [C, H, W].
"""

import base64
import hashlib
import io
import json
import pathlib
import random
import struct
import tempfile
import zlib

import numpy
import PIL
import transformers
from PIL import Image, PngImagePlugin
from transformers.image_utils import load_image
from transformers.models.bit.image_processing_pil_bit import BitImageProcessorPil
from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil
from transformers.models.deit.image_processing_pil_deit import DeiTImageProcessorPil
from transformers.models.vit.image_processing_pil_vit import ViTImageProcessorPil

FOLDER = pathlib.Path(__file__).parent
RANDOM = random.Random(20)
PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"

DEFAULTS = {
    "vit": ViTImageProcessorPil,
    "deit": DeiTImageProcessorPil,
    "bit": BitImageProcessorPil,
    "clip": CLIPImageProcessorPil,
}

SMALL = {
    "vit_24": ViTImageProcessorPil(size=24),
    "vit_17x30_bicubic": ViTImageProcessorPil(size={"height": 17, "width": 30}, resample=3),
    "deit_29_to_20": DeiTImageProcessorPil(size={"height": 29, "width": 29}, crop_size=20),
    "deit_15_to_22_padded": DeiTImageProcessorPil(size=15, crop_size=[22, 22]),
    "bit_27_to_24": BitImageProcessorPil(size=27, crop_size=24),
    "bit_11_to_24_padded": BitImageProcessorPil(size={"shortest_edge": 11}, crop_size=24),
    "clip_24": CLIPImageProcessorPil(size=24, crop_size={"height": 24, "width": 24}),
    "clip_no_resize": CLIPImageProcessorPil(do_resize=False, crop_size=23),
    "bit_no_normalise": BitImageProcessorPil(size=24, crop_size=21, do_normalize=False),
    "vit_no_rescale": ViTImageProcessorPil(
        size=20, do_rescale=False, image_mean=[120.0, 110.0, 100.0], image_std=[60.0, 50.0, 40.0]
    ),
    "vit_nearest": ViTImageProcessorPil(size=23, resample=0),
    "clip_lanczos": CLIPImageProcessorPil(size=22, crop_size=22, resample=1),
    "deit_box": DeiTImageProcessorPil(size=25, crop_size=22, resample=4),
    "vit_hamming": ViTImageProcessorPil(size=22, resample=5),
}


def noise(mode, width, height):
    bands = len(Image.new(mode, (1, 1)).getbands())
    return Image.frombytes(mode, (width, height), RANDOM.randbytes(width * height * bands))


def smooth(width, height):
    """A picture that JPEG does not blur beyond recognition, with a corner that shows its turn."""
    y, x = numpy.mgrid[0:height, 0:width]
    planes = [255 * x // width, 255 * y // height, 255 * (x + y) // (width + height)]
    pixels = numpy.stack(planes, -1).astype(numpy.uint8)
    pixels[: height // 3, : width // 4] = (250, 20, 40)
    return Image.fromarray(pixels)


def stripes(width, height, period, vertical):
    y, x = numpy.mgrid[0:height, 0:width]
    on = ((x if vertical else y) // period) % 2 == 0
    return Image.fromarray((on * 255).astype(numpy.uint8))


def checker(width, height):
    y, x = numpy.mgrid[0:height, 0:width]
    return Image.fromarray((((x + y) % 2) * 255).astype(numpy.uint8))


def encode(image, kind, **options):
    stream = io.BytesIO()
    image.save(stream, format=kind, **options)
    return stream.getvalue()


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, depth, colour, rows, interlaced=False, extra=b"", trailing=b""):
    """A PNG of filtered rows; Pillow writes neither interlaced nor all depths."""
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, int(interlaced))
    parts = [chunk(b"IHDR", header), extra, chunk(b"IDAT", zlib.compress(rows, 9)), trailing]
    return PNG_SIGNATURE + b"".join(parts) + chunk(b"IEND", b"")


def noise_png(width, height, depth, colour, extra=b""):
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour]
    stride = (width * channels * depth + 7) // 8
    rows = b"".join(b"\0" + RANDOM.randbytes(stride) for _ in range(height))
    return png(width, height, depth, colour, rows, extra=extra)


def grey_16_png(width, height):
    """Dark 16-bit grey on both sides of the level at which Pillow clips."""
    rows = b"".join(
        b"\0" + b"".join(struct.pack(">H", RANDOM.randrange(400)) for _ in range(width))
        for _ in range(height)
    )
    return png(width, height, 16, 0, rows)


def interlaced_png(width, height, bytes_per_pixel, depth, colour, extra=b""):
    pixels = RANDOM.randbytes(width * height * bytes_per_pixel)
    rows = b""
    for x0, y0, dx, dy in (
        (0, 0, 8, 8),
        (4, 0, 8, 8),
        (0, 4, 4, 8),
        (2, 0, 4, 4),
        (0, 2, 2, 4),
        (1, 0, 2, 2),
        (0, 1, 1, 2),
    ):
        for y in range(y0, height, dy):
            starts = [(y * width + x) * bytes_per_pixel for x in range(x0, width, dx)]
            if starts:
                rows += b"\0" + b"".join(pixels[at : at + bytes_per_pixel] for at in starts)
    return png(width, height, depth, colour, rows, interlaced=True, extra=extra)


def tiff(order, kind, value, before=()):
    """A TIFF directory of tags without meaning and the orientation."""
    entries = [*before, struct.pack(order + "HHI", 274, kind, 1) + value.ljust(4, b"\0")]
    magic = b"II" if order == "<" else b"MM"
    head = magic + struct.pack(order + "HI", 42, 8) + struct.pack(order + "H", len(entries))
    return head + b"".join(entries) + b"\0\0\0\0"


def exif(orientation, order="<"):
    return tiff(order, 3, struct.pack(order + "H", orientation))


def jpeg_with(segments, image):
    plain = encode(image, "JPEG", quality=80)
    added = b"".join(b"\xff\xe1" + struct.pack(">H", len(s) + 2) + s for s in segments)
    return plain[:2] + added + plain[2:]


def png_with(image, before=b"", behind=b""):
    plain = encode(image, "PNG")
    return plain[:33] + before + plain[33:-12] + behind + plain[-12:]


def adobe_transform(jpeg, transform):
    at = jpeg.index(b"Adobe") + 11
    return jpeg[:at] + bytes([transform]) + jpeg[at + 1 :]


def without_adobe(jpeg):
    at = jpeg.index(b"Adobe") - 4
    length = struct.unpack(">H", jpeg[at + 2 : at + 4])[0]
    return jpeg[:at] + jpeg[at + 2 + length :]


def sizes():
    yield "size_1x1.png", encode(noise("RGB", 1, 1), "PNG")
    yield "size_500x1.png", encode(noise("RGB", 500, 1), "PNG")
    yield "size_1x500.png", encode(noise("RGB", 1, 500), "PNG")
    yield "size_2x3.jpg", encode(noise("RGB", 2, 3), "JPEG", quality=95)
    yield "size_28x28_up_8.png", encode(noise("RGB", 28, 28), "PNG")
    yield "size_31x57.png", encode(noise("RGB", 31, 57), "PNG")
    yield "size_225x223.jpg", encode(smooth(225, 223), "JPEG", quality=60)
    yield "size_256x256.jpg", encode(smooth(256, 256), "JPEG", quality=50)
    yield "size_480x480_down_20.jpg", encode(checker(480, 480), "JPEG", quality=20)
    yield "size_4480x4480_down_20.png", encode(stripes(4480, 4480, 3, True).convert("1"), "PNG")
    yield "size_37x640.png", encode(noise("L", 37, 640).convert("1"), "PNG")
    yield "stripes_1_vertical.png", encode(stripes(333, 250, 1, True), "PNG")
    yield "stripes_1_horizontal.png", encode(stripes(250, 333, 1, False), "PNG")
    yield "stripes_7.png", encode(stripes(500, 300, 7, True), "PNG")
    yield "checker_301x299.png", encode(checker(301, 299).convert("1"), "PNG")


def png_modes():
    transparent = chunk(b"tRNS", b"\x00\x55")
    yield "png_grey.png", encode(noise("L", 33, 21), "PNG")
    yield "png_grey_transparent.png", noise_png(33, 21, 8, 0, transparent)
    yield "png_grey_alpha.png", encode(noise("LA", 33, 21), "PNG")
    yield "png_rgba.png", encode(noise("RGBA", 29, 31), "PNG")
    colour = chunk(b"tRNS", b"\0\x10\0\x20\0\x30")
    yield "png_rgb_transparent.png", noise_png(23, 21, 8, 2, colour)
    for bits in (1, 2, 4):
        black = chunk(b"tRNS", b"\0\0")
        yield f"png_grey_{bits}_bit.png", noise_png(45, 39, bits, 0)
        yield f"png_grey_{bits}_bit_transparent.png", noise_png(45, 39, bits, 0, black)
        palette = chunk(b"PLTE", RANDOM.randbytes(3 << bits))
        yield f"png_palette_{bits}_bit.png", noise_png(45, 39, bits, 3, palette)
    palette = chunk(b"PLTE", RANDOM.randbytes(768))
    yield "png_palette.png", noise_png(31, 27, 8, 3, palette)
    one = chunk(b"PLTE", RANDOM.randbytes(12)) + chunk(b"tRNS", b"\xff\xff\x00\xff")
    yield "png_palette_one_transparent.png", noise_png(31, 27, 2, 3, one)
    one = chunk(b"PLTE", RANDOM.randbytes(12)) + chunk(b"tRNS", b"\xff\x00\x80")
    yield "png_palette_half_transparent.png", noise_png(31, 27, 2, 3, one)
    yield "png_rgb_8_bit_black_transparent.png", png(
        8, 8, 8, 2, b"".join(b"\0" + bytes(12) + RANDOM.randbytes(12) for _ in range(8)),
        extra=chunk(b"tRNS", b"\1\0\2\0\3\0"),
    )
    opaque = chunk(b"tRNS", RANDOM.randbytes(200))
    yield "png_palette_transparent.png", noise_png(31, 27, 8, 3, palette + opaque)
    yield "png_grey_16_bit.png", noise_png(19, 17, 16, 0)
    yield "png_grey_16_bit_dark.png", grey_16_png(27, 31)
    yield "png_rgb_16_bit.png", noise_png(17, 19, 16, 2)
    yield "png_grey_alpha_16_bit.png", noise_png(17, 19, 16, 4)
    yield "png_rgba_16_bit.png", noise_png(17, 13, 16, 6)
    yield "png_interlaced_rgb.png", interlaced_png(29, 23, 3, 8, 2)
    yield "png_interlaced_grey_16_bit.png", interlaced_png(13, 21, 2, 16, 0)
    yield "png_interlaced_palette.png", interlaced_png(3, 21, 1, 8, 3, palette)
    gamma = chunk(b"gAMA", struct.pack(">I", 100000)) + chunk(b"sBIT", b"\5\6\5")
    yield "png_gamma.png", noise_png(15, 21, 8, 2, gamma)


def jpeg_modes():
    picture = smooth(67, 45)
    yield "jpeg_420_odd.jpg", encode(picture, "JPEG", quality=85)
    yield "jpeg_420_noise.jpg", encode(noise("RGB", 41, 35), "JPEG", quality=75)
    yield "jpeg_422_odd.jpg", encode(noise("RGB", 35, 41), "JPEG", quality=85, subsampling=1)
    yield "jpeg_444.jpg", encode(noise("RGB", 33, 31), "JPEG", quality=90, subsampling=0)
    yield "jpeg_quality_1.jpg", encode(smooth(97, 101), "JPEG", quality=1)
    yield "jpeg_progressive.jpg", encode(picture, "JPEG", quality=80, progressive=True)
    yield "jpeg_progressive_grey.jpg", encode(picture.convert("L"), "JPEG", progressive=True)
    yield "jpeg_grey.jpg", encode(noise("L", 39, 37), "JPEG", quality=85)
    yield "jpeg_restart.jpg", encode(picture, "JPEG", quality=70, restart_marker_blocks=2)
    yield "jpeg_rgb.jpg", encode(picture, "JPEG", quality=90, keep_rgb=True)
    cmyk = encode(noise("CMYK", 27, 25), "JPEG", quality=80)
    yield "jpeg_cmyk.jpg", cmyk
    yield "jpeg_cmyk_no_adobe.jpg", without_adobe(cmyk)
    yield "jpeg_ycck.jpg", adobe_transform(encode(smooth(31, 27).convert("CMYK"), "JPEG"), 2)


def orientations():
    picture, small = smooth(41, 27), smooth(13, 21)
    for n in range(0, 10):
        yield f"exif_{n}.jpg", jpeg_with([b"Exif\0\0" + exif(n, "<>"[n % 2])], picture)
    for n in range(1, 9):
        yield f"exif_{n}.png", png_with(small, chunk(b"eXIf", exif(n, "><"[n % 2])))
    yield "exif_behind_pixels.png", png_with(small, behind=chunk(b"eXIf", exif(6)))
    yield "exif_grey_16_bit.png", grey_16_png(9, 14)[:-12] + chunk(b"eXIf", exif(8)) + chunk(
        b"IEND", b""
    )
    yield "exif_long.jpg", jpeg_with([b"Exif\0\0" + tiff("<", 4, b"\5\0\0\0")], picture)
    yield "exif_byte.jpg", jpeg_with([b"Exif\0\0" + tiff("<", 1, b"\6")], picture)
    make = struct.pack("<HHII", 271, 2, 100, 1 << 20)
    broken = tiff("<", 3, b"\6\0", [make])
    yield "exif_value_outside.jpg", jpeg_with([b"Exif\0\0" + broken], picture)
    halves = exif(7)
    segments = [b"Exif\0\0" + halves[:13], b"Exif\0\0" + halves[13:]]
    yield "exif_two_segments.jpg", jpeg_with(segments, picture)
    xmp = b'<x:xmpmeta><rdf:Description tiff:Orientation="%d"/></x:xmpmeta>'
    packet = b"http://ns.adobe.com/xap/1.0/\0" + xmp % 8
    yield "xmp.jpg", jpeg_with([packet], picture)
    yield "xmp_behind_exif.jpg", jpeg_with([b"Exif\0\0" + exif(3), packet], picture)
    text = PngImagePlugin.PngInfo()
    text.add_itxt("XML:com.adobe.xmp", (xmp % 6).decode(), zip=True)
    yield "xmp.png", encode(small, "PNG", pnginfo=text)
    raw = b"Exif\0\0" + exif(5)
    text = PngImagePlugin.PngInfo()
    text.add_text("Raw profile type exif", f"\nexif\n{len(raw):8}\n{raw.hex()}\n", zip=True)
    yield "exif_raw_profile.png", encode(small, "PNG", pnginfo=text)


def pixel_bytes(processor, values):
    """The pixels that the processor normalised; exact, as every value came from a byte."""
    x = values.astype(numpy.float64)
    if processor.do_normalize:
        mean = numpy.array(processor.image_mean).reshape(-1, 1, 1)
        x = x * numpy.array(processor.image_std).reshape(-1, 1, 1) + mean
    if processor.do_rescale:
        x = x / processor.rescale_factor
    rounded = numpy.rint(x)
    assert numpy.abs(x - rounded).max() < 1e-2
    return rounded.astype(numpy.uint8).tobytes()


def run(processor, image):
    return numpy.asarray(processor(image, return_tensors="np")["pixel_values"][0])


def answers(name, data, index):
    with tempfile.NamedTemporaryFile(suffix=name) as file:
        file.write(data)
        file.flush()
        image = load_image(file.name)
    case = {"file": name, "data": base64.b64encode(data).decode(), "defaults": {}}
    for key, kind in DEFAULTS.items():
        processor = kind()
        values = run(processor, image)
        flat = values.reshape(-1)
        samples = [int(i) for i in numpy.linspace(0, flat.size - 1, 7)]
        case["defaults"][key] = {
            "sha256": hashlib.sha256(pixel_bytes(processor, values)).hexdigest(),
            "samples": [[i, float(flat[i])] for i in samples],
        }
    setting = list(SMALL)[index % len(SMALL)]
    pixels = pixel_bytes(SMALL[setting], run(SMALL[setting], image))
    case["setting"] = setting
    case["pixels"] = base64.b64encode(zlib.compress(pixels, 9)).decode()
    return case


def config_of(processor):
    return json.loads(processor.to_json_string())


if __name__ == "__main__":
    images = [*sizes(), *png_modes(), *jpeg_modes(), *orientations()]
    document = {
        "made_by": "tests/golden/make_processor_vectors.py",
        "pillow": PIL.__version__,
        "transformers": transformers.__version__,
        "settings": {name: config_of(processor) for name, processor in SMALL.items()},
        "defaults": {name: config_of(kind()) for name, kind in DEFAULTS.items()},
        "cases": [answers(name, data, index) for index, (name, data) in enumerate(images)],
    }
    (FOLDER / "processor_vectors.json").write_text(json.dumps(document, indent=1) + "\n")
