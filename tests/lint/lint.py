"""Runs one check over a checkout: lint.py CHECK [ROOT].

Exit status: 0 clean, 1 findings, 77 the tool is not installed.
"""

import pathlib
import sys

import build_rules
import docs
import layers
import sizes
import tools
import words
from tree import Tree

CHECKS = {
    "layers": layers.check,
    "sizes": sizes.check,
    "words": words.check,
    "cmake": build_rules.check,
    "docs": docs.check,
    "clang-format": tools.clang_format,
    "shellcheck": tools.shellcheck,
    "yamllint": tools.yamllint,
    "codespell": tools.codespell,
    "buf": tools.buf,
}
SKIP_CODE = 77


def main(arguments):
    if not arguments or arguments[0] not in CHECKS:
        print(f"want one of: {', '.join(CHECKS)}", file=sys.stderr)
        return 2
    root = arguments[1] if len(arguments) > 1 else pathlib.Path(__file__).resolve().parents[2]
    try:
        findings = CHECKS[arguments[0]](Tree(root))
    except tools.Skipped as reason:
        print(f"skipped: {reason}")
        return SKIP_CODE
    for finding in findings:
        print(finding)
    print(f"{arguments[0]}: {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
