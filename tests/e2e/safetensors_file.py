"""Writes safetensors files.  Standard library only."""

import json
import struct


def safetensors(tensors):
    """Bytes of a file of float32 tensors: {name: (shape, values)}."""
    header, body = {}, b""
    for name, (shape, values) in sorted(tensors.items()):
        data = struct.pack(f"<{len(values)}f", *values)
        header[name] = {
            "dtype": "F32",
            "shape": list(shape),
            "data_offsets": [len(body), len(body) + len(data)],
        }
        body += data
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + body
