"""Which folder may include which: ARCHITECTURE.md's dependency rule as a table.

A folder may always include itself.  Tests are free; sources are not.
"""

import re

import cpp_scan
from tree import TORCH_FREE, Finding, line_of

_READING = {
    "model/base",
    "model/uncertainty",
    "model/artifact",
    "model/preprocess",
    "model/text",
}
_MODEL = _READING | {
    "model/calibration",
    "model/metrics",
    "model/interpret",
    "model/data",
    "model/nn",
    "model/ensemble",
    "model/importance",
    "model/train",
    "model/saper",
    "model/runtime",
    "model/report",
    "model/yaml",
}
_SERVER_BASE = _READING | {"server/config", "server/observability"}

# (folder, folder it sees in part): the only headers of the second that the first may include.
FACADES = {
    ("model/uncertainty", "model/artifact"): {
        f"model/artifact/{name}.h"
        for name in ("calibration", "golden_answers", "head_map", "image_settings", "manifest")
    },
    ("server", "model/runtime"): {
        f"model/runtime/{name}.h" 
        for name in ("predictor", "rows", "loader", "golden_check", "head_attention")
    },
}

ALLOWED = {
    "proto": set(),
    "model/base": set(),
    "model/yaml": {"model/base"},
    "model/uncertainty": {"model/base"},
    "model/artifact": {"model/base", "model/uncertainty"},
    "model/calibration": {"model/base", "model/artifact", "model/uncertainty"},
    "model/metrics": {"model/base", "model/artifact", "model/uncertainty"},
    "model/interpret": {"model/base", "model/artifact"},
    "model/preprocess": {"model/base", "model/artifact"},
    "model/text": {"model/base", "model/artifact"},
    "model/data": {"model/base", "model/artifact", "model/preprocess"},
    "model/report": {"model/base", "model/uncertainty", "model/artifact", "model/metrics"},
    "model/nn": {"model/base", "model/artifact", "model/preprocess"},
    "model/ensemble": _READING | {"model/nn"},
    "model/importance": _READING | {"model/data", "model/metrics", "model/nn", "model/ensemble"},
    "model/train": _READING
    | {"model/metrics", "model/data", "model/nn", "model/ensemble", "model/importance"},
    "model/saper": _READING
    | {"model/nn", "model/ensemble", "model/importance", "model/train"},
    "model/runtime": _READING | {"model/nn", "model/ensemble"},
    "model/builder": _MODEL,
    "server/config": _READING | {"model/yaml"},
    "server/observability": _READING | {"server/config"},
    "server/batching": _SERVER_BASE,
    "server/policy": _SERVER_BASE,
    "server/feedback": _SERVER_BASE,
    "server/rpc": _SERVER_BASE
    | {"model/interpret", "proto", "server/batching", "server/policy", "server/feedback"},
    "server/lifecycle": _SERVER_BASE
    | {"proto", "server/batching", "server/policy", "server/feedback", "server/rpc"},
    "server": _SERVER_BASE
    | {"server/batching", "server/policy", "server/feedback", "server/rpc", "server/lifecycle"},
    "client/cpp": {"proto", "model/base"},
    "client/terminal": {"proto", "client/cpp", "model/base"},
    "client/input": {"proto", "model/base", "model/data", "model/text"},
    "client/cli": {"proto", "client/cpp", "client/input", "client/terminal", "model/base"},
    "client/loadgen": {"proto", "client/cpp", "client/input", "client/terminal", "model/base"},
}

# (third-party headers, folders that must not see them, why)
FORBIDDEN = [
    (
        re.compile(r"google/protobuf/|google/rpc/|grpc(\+\+|pp)?/|.*\.pb\.h$"),
        ("model/",),
        "protobuf and gRPC stay out of model/",
    ),
    (
        re.compile(r"torch/|ATen/|c10/"),
        TORCH_FREE,
        "torch stays out of this folder",
    ),
    (
        re.compile(r"google/protobuf/|grpc(\+\+|pp)?/|.*\.pb\.h$"),
        ("server/batching/", "server/config/", "server/observability/"),
        "protobuf and gRPC are for server/rpc, server/lifecycle and converters only",
    ),
]

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
_TOP = ("model/", "server/", "client/", "proto/")
_GENERATED = ("hydra/v1/", "inference/", "google/rpc/")  # made from proto/


def folder_of(path):
    if path.startswith(_GENERATED):
        return "proto"
    parts = path.split("/")
    return parts[0] if len(parts) == 2 or parts[0] == "proto" else "/".join(parts[:2])


def _edge_problem(path, included):
    source, target = folder_of(path), folder_of(included)
    if source == target:
        return None
    if source not in ALLOWED:
        return f"folder {source} has no row in tests/lint/layers.py; add one"
    facade = FACADES.get((source.split("/")[0] if target == "model/runtime" else source, target))
    if facade is not None:
        return None if included in facade else f"{source} must not include {included}"
    if target not in ALLOWED[source]:
        return f"{source} must not include {included}"
    return None


def _problems(path, included):
    if included.startswith(_TOP + _GENERATED):
        yield _edge_problem(path, included)
    for pattern, folders, why in FORBIDDEN:
        if path.startswith(folders) and pattern.match(included):
            yield f"{why}: {included}"


def check(tree):
    findings = []
    for path in tree.cpp():
        if not path.startswith(_TOP):
            continue
        text = cpp_scan.without_comments(tree.text(path))
        for match in _INCLUDE.finditer(text):
            findings += [
                Finding(path, line_of(text, match.start()), problem)
                for problem in _problems(path, match.group(2))
                if problem
            ]
    return findings
