#!/usr/bin/env python3
"""Makes the table of docs/families.md: how far Hydra is from the reference library, case by case.

    python3 tests/golden/parity_table.py [--program build/release/tests/nn_test] [--write | --check]

Runs the parity tests and prints the table.  --write puts it into docs/families.md; --check ends
with status 1 where a test fails or the page lists other cases than those that ran.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parents[2]
PAGE = ROOT / "docs" / "families.md"
BEGIN, END = "<!-- parity table: begin -->\n", "<!-- parity table: end -->"
HEADER = (
    "| case | class | file | answers | hidden states | attention |\n"
    "|---|---|---|---|---|---|\n"
)
DTYPES = {"float32": "fp32", "float16": "fp16", "bfloat16": "bf16"}


def run_tests(program):
    """Case -> recorded differences."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        subprocess.run(
            [program, "--gtest_filter=*ParityTest*", f"--gtest_output=json:{report}"],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        suites = json.loads(report.read_text())["testsuites"]
    cases = {}
    for test in (test for suite in suites for test in suite["testsuite"]):
        recorded = {key: float(test[key]) for key in COLUMNS if key in test}
        cases.setdefault(test["name"].split("/")[1], {}).update(recorded)
    return cases


COLUMNS = ("answers", "hidden_states", "attention")


def describe(case):
    name = case.removesuffix("_text_side")
    folder = ROOT / "tests" / "golden" / "encoders" / name
    config = json.loads((folder / "config.json").read_text())
    shards = len(list(folder.glob("model-*.safetensors")))
    kept = DTYPES[config["dtype"]] + (f", {shards} shards" if shards else "")
    side = ", text side" if case != name else ""
    return f"| {name}{side} | {config['architectures'][0]} | {kept} |"


def table(cases):
    rows = [
        describe(case) + "".join(f" {differences[column]:.1e} |" for column in COLUMNS)
        for case, differences in cases.items()
    ]
    return HEADER + "\n".join(rows) + "\n"


def without_numbers(text):
    return re.sub(r"\d\.\de[+-]\d\d", "N", text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default=ROOT / "build/release/tests/nn_test")
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--write", action="store_true")
    action.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    made = table(run_tests(arguments.program))
    print(made)
    before, rest = PAGE.read_text().split(BEGIN)
    listed, after = rest.split(END)
    if arguments.write:
        PAGE.write_text(before + BEGIN + made + END + after)
    if arguments.check and without_numbers(listed) != without_numbers(made):
        sys.exit(f"{PAGE}: lists other cases than those that ran; run {sys.argv[0]} --write")


main()
