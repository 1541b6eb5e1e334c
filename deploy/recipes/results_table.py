#!/usr/bin/env python3
"""Prints the table of docs/results.md: results_table.py EVALUATION.json...

One row a system, mean over the files (seeds) with the smallest and largest value.  Percentages but
for NLL and Brier; AURC in thousandths.  AUROC and FPR95 have out-of-distribution images as the
positive class.
"""
import json
import sys

SCORES = {"entropy": "total_entropy", "MI": "mutual_information", "energy": "energy"}

def system_values(system, default_score):
    scaled = system["scaled"]
    score = default_score if default_score in scaled["selective"] else "total_entropy"
    values = {
        "accuracy": 100 * scaled["accuracy"],
        "ECE raw": 100 * system["raw"]["ece15"],
        "ECE": 100 * scaled["ece15"],
        "NLL": scaled["nll"],
        "Brier": scaled["brier"],
        "AURC conf": 1000 * scaled["selective"]["one_minus_confidence"]["aurc"],
        "disagreement": 100 * (scaled.get("members") or {}).get("disagreement", float("nan")),
        "MACs": system["cost"]["macs"],
    }
    for name, ood in system["ood"].items():
        by_score = ood["by_score"]
        for short, full in SCORES.items():
            if full in by_score:
                values[f"{name} AUROC {short}"] = 100 * by_score[full]["auroc"]
        values[f"{name} FPR95 {score}"] = 100 * by_score[score]["fpr95_ood_positive"]
    return values


def main():
    runs = [json.load(open(path, encoding="utf-8")) for path in sys.argv[1:]]
    systems = {}
    for run in runs:
        single = next(s for s in run["systems"] if s["name"] == "single")
        for system in run["systems"]:
            values = system_values(system, run["default_score"])
            values["MACs"] /= single["cost"]["macs"]
            for key, value in values.items():
                systems.setdefault(system["name"], {}).setdefault(key, []).append(value)
    columns = []
    for values in systems.values():
        columns += [key for key in values if key not in columns]
    print("| system | " + " | ".join(columns) + " |")
    print("|---" * (len(columns) + 1) + "|")
    for name, values in systems.items():
        cells = []
        for key in columns:
            numbers = [v for v in values.get(key, []) if v == v]
            if not numbers:
                cells.append("-")
                continue
            digits = 3 if key in ("NLL", "Brier") else 2
            mean = sum(numbers) / len(numbers)
            cell = f"{mean:.{digits}f}"
            if len(numbers) > 1:
                cell += f" [{min(numbers):.{digits}f}, {max(numbers):.{digits}f}]"
            cells.append(cell)
        print(f"| {name} | " + " | ".join(cells) + " |")


main()
