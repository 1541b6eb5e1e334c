"""Forbidden names, seams for exceptions and environment, and text that must not be there."""

import re

import cpp_scan
from tree import Finding, line_of

_NAME_PARTS = {
    "utils",
    "util",
    "helpers",
    "helper",
    "common",
    "misc",
    "manager",
    "info",
    "impl2",
    "v2",
    "new",
    "old",
    "legacy",
    "deprecated",
}

# Each pattern is written so that it does not match itself.
_EVERYWHERE = [
    (
        re.compile(r"/wor[k]/|/tmp/bash_job[s]|/tmp/[w]/|/roo[t]/\.|/home/\w"),
        "a path of one machine",
    ),
    (
        re.compile(
            r"pypi\.org|pythonhosted\.org|registry\.npmjs\.org|deb\.debian\.org|proxy\.golang\.org"
            r"|crates\.io|repo1?\.maven"
        ),
        "a package registry's host",
    ),
    (re.compile(r"\b(?:TOD[O]|FIXM[E]|XX[X]|HAC[K])\b|\bplaceholde[r]\b"), "unfinished work"),
    (re.compile("[\U0001f300-\U0001faff\u2600-\u27bf]"), "a pictograph"),
]

_DECLARED = re.compile(
    r"\b(?:class|struct|namespace|enum(?:\s+class)?)\s+(?:\w+::)*\w*"
    r"(?:Utils?|Helpers?|Manager|Misc|Impl2|_utils?|_helpers?)\b"
)
_OLD_PATH = re.compile(
    r"\b(?!(?:[A-Z][A-Z0-9]+|spng)_)\w+_(?:v2|new|old)\b|\b\w*(?:[lL]egacy|[dD]eprecated)\w*\b"
)

# (pattern in code, paths where it is right, message)
_CODE = [
    (
        re.compile(r"\bcatch\s*\("),
        re.compile(r"(^|/)(catch_torch\.(h|cc)|yaml_section\.cc|main\.cc)$"),
        "catch outside the seams (catch_torch, yaml_section, main.cc)",
    ),
    (
        re.compile(r"\b(?:secure_)?getenv\s*\("),
        re.compile(r"(^|/)main\.cc$"),
        "getenv outside main.cc",
    ),
    (
        re.compile(r"\b(?:sleep_for|sleep_until|usleep|nanosleep|absl::SleepFor)\b"),
        re.compile(r"^client/cpp/sleeper\.cc$"),
        "sleeping outside client/cpp/sleeper.cc",
    ),
    (
        re.compile(r"\bvolatile\b(?!\s+(?:std::)?sig_atomic_t)"),
        re.compile(r"$^"),
        "volatile, other than volatile std::sig_atomic_t",
    ),
    (
        re.compile(r"\bstd::(?:cout|cerr)\b"),
        re.compile(r"^(client/(cli|loadgen)|model/builder|tests|server/main\.cc|.*/main\.cc$)"),
        "printing outside programs; log or return a status",
    ),
]
_DETACH = re.compile(r"\.detach\s*\(|\bpthread_detach\b")
# Tensor::detach is a different thing; torch folders are held by review.
_TORCH_FOLDERS = (
    "model/nn/",
    "model/ensemble/",
    "model/importance/",
    "model/train/",
    "model/runtime/",
    "model/builder/",
    "tests/",
)


def _name_findings(tree):
    for path in tree.paths:
        folders, name = path.rpartition("/")[::2]
        stem = name.split(".", 1)[0]
        bad = _NAME_PARTS & set(stem.lower().split("_"))
        bad |= _NAME_PARTS & set(folders.lower().split("/"))
        if stem == "data" and path.endswith((".h", ".cc", ".py")):
            bad.add("data")
        for word in sorted(bad):
            yield Finding(path, 1, f"the name '{word}' says nothing about the content")


# cargo writes the address of the registry beside each package.
_LOCK_ADDRESS = re.compile(r'^source = ".*"$', re.MULTILINE)


def _text_findings(tree):
    for path in tree.paths:
        text = tree.text(path)
        if path.endswith("Cargo.lock"):
            text = _LOCK_ADDRESS.sub("", text)
        for pattern, what in _EVERYWHERE:
            for match in pattern.finditer(text):
                yield Finding(path, line_of(text, match.start()), f"{what}: {match.group(0)!r}")


def _code_rules(path):
    for pattern, allowed, message in _CODE:
        if not allowed.search(path):
            yield pattern, message
    yield _DECLARED, "a type or namespace named for nothing"
    yield _OLD_PATH, "an old path kept beside a new one"
    if not path.startswith(_TORCH_FOLDERS):
        yield _DETACH, "a detached thread"


def _code_findings(tree):
    for path in tree.cpp():
        code = cpp_scan.code_only(tree.text(path))
        for pattern, message in _code_rules(path):
            for match in pattern.finditer(code):
                yield Finding(path, line_of(code, match.start()), f"{message}: {match.group(0)!r}")


def check(tree):
    return [*_name_findings(tree), *_text_findings(tree), *_code_findings(tree)]
