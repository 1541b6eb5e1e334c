#!/usr/bin/env python3
"""Prints the demo's answers as a table, and fails unless digits are abstained far more often.

    demo_summary.py CLOTHES.jsonl DIGITS.jsonl

Each file holds the lines of `hydra --json predict`.
"""

import json
import pathlib
import sys

SHOWN = 4  # rows of each kind
WANTED_RATIO = 3.0
ROW = "{:<11} {:>5}  {:<12} {:>5} {:>7} {:>9} {:>9}  {:<9}  {}"


def read(path):
    lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines()
    answers = [json.loads(line) for line in lines if line.startswith("{")]
    failed = [answer for answer in answers if "status" in answer]
    if failed or not answers:
        sys.exit(f"{path}: {len(answers)} answers, {len(failed)} failed")
    return answers


def abstained(answer):
    return answer["decision"]["outcome"].endswith("ABSTAINED")


def why(decision):
    reason = decision.get("reason", "").removeprefix("ABSTENTION_REASON_")
    if "score" not in decision:
        return reason
    sign = ">" if decision["score"] > decision["threshold"] else "<="
    text = f"{decision['score_name']} {decision['score']:.4g} {sign} {decision['threshold']:.4g}"
    return f"{reason}: {text}" if decision["outcome"].endswith("ABSTAINED") else text


def row(kind, answer):
    top, uncertainty = answer["top"][0], answer["uncertainty"]
    decision = answer["decision"]
    return ROW.format(
        kind,
        answer.get("truth", "-"),
        top["label"][:12],
        f"{top['probability']:.2f}",
        f"{uncertainty['total_nats']:.3f}",
        f"{uncertainty['aleatoric_nats']:.3f}",
        f"{uncertainty.get('epistemic_nats', float('nan')):.4f}",
        decision["outcome"].removeprefix("DECISION_OUTCOME_"),
        why(decision),
    )


def show(kind, answers):
    for wanted in (False, True):
        for answer in [a for a in answers if abstained(a) == wanted][:SHOWN]:
            print(row(kind, answer))


def share(answers):
    return sum(map(abstained, answers)) / len(answers)


def main():
    clothes, digits = read(sys.argv[1]), read(sys.argv[2])
    print(
        ROW.format(
            "image", "truth", "label", "p", "total", "aleatoric", "epistemic", "decision", "why"
        )
    )
    show("test image", clothes)
    show("digit", digits)
    kept = [answer for answer in clothes if not abstained(answer)]
    right = sum(answer["top"][0]["index"] == answer["truth"] for answer in kept)
    everything = sum(answer["top"][0]["index"] == answer["truth"] for answer in clothes)
    print(f"\nentropies in nats; {clothes[0]['members_used']} members")
    print(f"test images: {len(clothes)} sent, {100 * share(clothes):.1f} % abstained")
    print(f"digits:      {len(digits)} sent, {100 * share(digits):.1f} % abstained")
    print(f"accuracy on test images: all {100 * everything / len(clothes):.1f} %", end="")
    print(f", accepted {100 * right / len(kept):.1f} %" if kept else ", none accepted")
    if not kept or share(digits) < WANTED_RATIO * share(clothes) or share(digits) == 0:
        sys.exit(f"digits were not abstained {WANTED_RATIO:g} times as often as test images")
    if share(clothes) > 0:
        print(f"digits are abstained {share(digits) / share(clothes):.1f} times as often")


main()
