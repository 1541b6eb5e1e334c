"""CMake rules: explicit sources, target_* commands only, a torch-free server and client."""

import re

from tree import TORCH_FREE, Finding, line_of

_COMMENT = re.compile(r"#[^\n]*")
_CALLS = [
    (re.compile(r"\bfile\s*\(\s*GLOB", re.IGNORECASE), "list sources explicitly, no GLOB"),
    (
        re.compile(
            r"(?<![\w_])(?:link_libraries|link_directories|include_directories|add_definitions"
            r"|aux_source_directory)\s*\(",
            re.IGNORECASE,
        ),
        "use the target_* command",
    ),
    (
        re.compile(r"\bFetchContent|\bExternalProject", re.IGNORECASE),
        "packages come from the system",
    ),
    (re.compile(r"-ffast-math|-fopenmp"), "flag that breaks numerics or loads a second OpenMP"),
]
_TORCH = re.compile(r"\bTORCH\b|\bLibTorch::")
ROOT_LINES = 80


def check(tree):
    findings = []
    for path in tree.cmake():
        text = _COMMENT.sub(lambda match: " " * len(match.group(0)), tree.text(path))
        rules = list(_CALLS)
        if path.startswith(TORCH_FREE):
            rules.append((_TORCH, "torch stays out of this folder"))
        for pattern, message in rules:
            findings += [
                Finding(path, line_of(text, match.start()), f"{message}: {match.group(0)!r}")
                for match in pattern.finditer(text)
            ]
    if "CMakeLists.txt" in tree.paths and tree.text("CMakeLists.txt").count("\n") >= ROOT_LINES:
        findings.append(
            Finding("CMakeLists.txt", ROOT_LINES, f"want fewer than {ROOT_LINES} lines")
        )
    return findings
