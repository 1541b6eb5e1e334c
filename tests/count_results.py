"""Adds up ctest's JUnit files and lists failed and skipped tests.

The last line is `N passed, N failed, N skipped`.  Exit status 1 when a test failed or none ran.
"""

import pathlib
import sys
import xml.etree.ElementTree as ElementTree


def outcome(case):
    if case.find("failure") is not None or case.get("status") == "fail":
        return "failed"
    if case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
        return "skipped"
    return "passed"


def collect(folder):
    names = {"passed": [], "failed": [], "skipped": []}
    for path in sorted(pathlib.Path(folder).glob("*.xml")):
        for case in ElementTree.parse(path).getroot().iter("testcase"):
            names[outcome(case)].append(f"{path.stem}: {case.get('name')}")
    return names


def main():
    names = collect(sys.argv[1])
    for kind in ("skipped", "failed"):
        for name in names[kind]:
            print(f"{kind}: {name}")
    print(", ".join(f"{len(names[kind])} {kind}" for kind in ("passed", "failed", "skipped")))
    return 1 if names["failed"] or not names["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
