"""Caps on files, functions, parameters, nesting, folders and columns.

An exception needs an ADR and a row in EXCEPTIONS.
"""

import collections
import re

import cpp_scan
from tree import Finding

HEADER_LINES = 300
SOURCE_LINES = 400
TEST_LINES = 500
MAIN_LINES = 120
FUNCTION_LINES = 60
PARAMETERS = 5
NESTING = 3
FOLDER_FILES = 20
COLUMNS = 100
CMAKE_COLUMNS = 140

EXCEPTIONS = {}  # path: ADR

_MACRO = re.compile(r"[A-Z][A-Z0-9_]{3,}")
_COUNTED = (".h", ".cc", ".py", ".sh", ".proto")


def _line_cap(path):
    name = path.rsplit("/", 1)[-1]
    if name == "main.cc":
        return MAIN_LINES
    if path.startswith("tests/") or name.endswith("_test.cc"):
        return TEST_LINES
    return HEADER_LINES if path.endswith(".h") else SOURCE_LINES


def _file_findings(tree):
    for path in tree.with_suffix(".h", ".cc", ".py", ".sh"):
        lines = tree.text(path).count("\n")
        if lines > _line_cap(path):
            yield Finding(path, lines, f"file has {lines} lines, cap is {_line_cap(path)}")


def _function_findings(tree):
    for path in tree.cpp():
        for function in cpp_scan.functions(tree.text(path)):
            if function.lines > FUNCTION_LINES:
                yield Finding(
                    path,
                    function.line,
                    f"{function.name} has {function.lines} lines, cap is {FUNCTION_LINES}",
                )
            if function.parameters > PARAMETERS and not _MACRO.fullmatch(function.name):
                yield Finding(
                    path,
                    function.line,
                    f"{function.name} has {function.parameters} parameters, cap is {PARAMETERS}",
                )


def _nesting_findings(tree):
    for path in tree.cpp():
        for line, depth in cpp_scan.control_depths(tree.text(path)):
            if depth > NESTING:
                yield Finding(path, line, f"block nested {depth} deep, cap is {NESTING}")


def _folder_findings(tree):
    counts = collections.Counter(path.rpartition("/")[0] for path in tree.with_suffix(*_COUNTED))
    for folder, count in counts.items():
        if count > FOLDER_FILES:
            yield Finding(folder, 1, f"folder has {count} source files, cap is {FOLDER_FILES}")


def _column_findings(tree):
    capped = [(path, COLUMNS) for path in tree.with_suffix(*_COUNTED)]
    capped += [(path, CMAKE_COLUMNS) for path in tree.cmake()]
    for path, cap in capped:
        for number, line in enumerate(tree.text(path).split("\n"), 1):
            if len(line) > cap:
                yield Finding(path, number, f"line has {len(line)} columns, cap is {cap}")


def check(tree):
    findings = [
        *_file_findings(tree),
        *_function_findings(tree),
        *_nesting_findings(tree),
        *_folder_findings(tree),
        *_column_findings(tree),
    ]
    return [finding for finding in findings if finding.path not in EXCEPTIONS]
