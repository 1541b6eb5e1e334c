"""Makes PNG files.  Standard library only."""

import struct
import zlib


def png(width, height, pixels, declared=None):
    """An 8-bit grey PNG; `declared` puts another size into the header."""

    def chunk(kind, body):
        checked = kind + body
        return struct.pack(">I", len(body)) + checked + struct.pack(">I", zlib.crc32(checked))

    rows = b"".join(b"\0" + pixels[y * width : (y + 1) * width] for y in range(height))
    size = declared or (width, height)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", *size, 8, 0, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )
