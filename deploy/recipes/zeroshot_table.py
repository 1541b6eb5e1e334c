#!/usr/bin/env python3
"""Prints the zero-shot table of docs/results.md: zeroshot_table.py ZEROSHOT.json...

One row a score, mean [smallest, largest] over the files (seeds), in percent; AURC in thousandths.
"""
import json
import sys


def values(score):
    result = {
        "accuracy": 100 * score["accuracy"],
        "errors AUROC": 100 * score["misclassification"]["auroc"],
        "AURC": 1000 * score["aurc"],
    }
    for name, ood in score["ood"].items():
        result[f"{name} AUROC"] = 100 * ood["auroc"]
    return result


def main():
    runs = [json.load(open(path, encoding="utf-8"))["scores"] for path in sys.argv[1:]]
    columns = list(values(runs[0][0]))
    print("| score | " + " | ".join(columns) + " |")
    print("|---" * (len(columns) + 1) + "|")
    for place, score in enumerate(runs[0]):
        cells = [score["score"]]
        for column in columns:
            numbers = [values(run[place])[column] for run in runs]
            mean = sum(numbers) / len(numbers)
            cells.append(f"{mean:.2f} [{min(numbers):.2f}, {max(numbers):.2f}]")
        print("| " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
