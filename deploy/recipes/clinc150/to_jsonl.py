#!/usr/bin/env python3
"""CLINC150's data_full.json (Larson et al. 2019, CC BY 3.0) as JSON lines.

    deploy/recipes/clinc150/to_jsonl.py data_full.json OUT

writes OUT/pool.jsonl (train and val, 18 000), OUT/test.jsonl (4 500) and OUT/out_of_scope.jsonl
(the 1 000 test queries outside the 150 intents, without labels).  Standard library only.
"""

import json
import pathlib
import sys


def write(path, rows, labelled):
    with open(path, "w", encoding="utf-8") as file:
        for text, label in rows:
            line = {"text": text, "label": label} if labelled else {"text": text}
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    print(f"{path}: {len(rows)} lines")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    data = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    out = pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    write(out / "pool.jsonl", data["train"] + data["val"], labelled=True)
    write(out / "test.jsonl", data["test"], labelled=True)
    write(out / "out_of_scope.jsonl", data["oos_test"], labelled=False)


if __name__ == "__main__":
    main()
