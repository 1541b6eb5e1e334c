"""Writes tests/golden/statistics/guarantees.json: reference values of the statistical guarantees.

Run: python3 tests/golden/statistics/make_guarantee_vectors.py (needs numpy and scipy; the file
records their versions.  The committed file was made with scipy 1.17.1 and numpy 2.4.6).

Everything is written from the articles, with scipy's distributions, and shares no code with
model/calibration.  Rows are integers, so that both sides count the same.
"""

import json
import math
import pathlib

import numpy as np
import scipy
from scipy import stats

RNG = np.random.default_rng(20240607)


def upper_bound(errors, n, delta):
    """Clopper-Pearson: the rate with P(X <= errors) = delta."""
    return 1.0 if errors >= n else float(stats.beta.ppf(1.0 - delta, errors + 1, n - errors))


def binomial_p(errors, n, level):
    return float(stats.binom.cdf(errors, n, level))


def hoeffding_bentkus(loss, n, level):
    risk = min(loss / n, level)
    h = (risk * math.log(risk / level) if risk > 0 else 0.0) + (1 - risk) * math.log(
        (1 - risk) / (1 - level)
    )
    bentkus = math.e * float(stats.binom.cdf(math.ceil(loss - 1e-9), n, level))
    return min(1.0, math.exp(-n * h), bentkus)


def p_values():
    cases = []
    for n in (1, 30, 149, 500, 4000):
        for level in (0.01, 0.02, 0.1, 0.4):
            for share in (0.0, 0.3, 0.8, 1.0, 1.5):
                errors = min(n, int(n * level * share))
                loss = min(float(n), n * level * share)
                cases.append(
                    {
                        "n": n,
                        "level": level,
                        "errors": errors,
                        "binomial": binomial_p(errors, n, level),
                        "loss": loss,
                        "hoeffding_bentkus": hoeffding_bentkus(loss, n, level),
                    }
                )
    return cases


def draw(n, slope):
    score = RNG.integers(0, 500, n)
    wrong = RNG.random(n) < score / 500 * slope
    return score, wrong


def sgr(score, wrong, target, delta):
    """Geifman & El-Yaniv 2017, algorithm 2, over distinct scores; the last certified cut."""
    steps = max(1, math.ceil(math.log2(len(score))))
    cuts = np.unique(score)
    low, high, found = 0, len(cuts), None
    for _ in range(steps):
        if low >= high:
            break
        middle = (low + high) // 2
        accepted = int((score <= cuts[middle]).sum())
        errors = int(wrong[score <= cuts[middle]].sum())
        bound = upper_bound(errors, accepted, delta / steps)
        if bound <= target:
            found = {"threshold": int(cuts[middle]), "accepted": accepted, "errors": errors,
                     "bound": bound}
            low = middle + 1
        else:
            high = middle
    perfect = next(
        n for n in range(2, 10**6)
        if upper_bound(0, n, delta / math.ceil(math.log2(n))) <= target
    )
    return {"found": found, "rows_needed_without_errors": perfect}


def ltt(score, wrong, ood, levels, starts, delta):
    """Angelopoulos et al. 2021: fixed sequences over 25 cuts, selective risk and OOD acceptance."""
    cuts = [20 * (k + 1) for k in range(25)]
    certified = set()
    for start in starts:
        for k in range(start, len(cuts)):
            kept = score <= cuts[k]
            p_risk = binomial_p(int(wrong[kept].sum()), int(kept.sum()), levels[0])
            p_ood = binomial_p(int((ood <= cuts[k]).sum()), len(ood), levels[1])
            if max(p_risk, p_ood) > delta / len(starts):
                break
            certified.add(k)
    return {"cuts": cuts, "starts": starts, "delta": delta, "levels": levels,
            "certified": sorted(certified)}


def crc(score, wrong, alpha):
    """Angelopoulos et al. 2022 for the loss 1[wrong and accepted]: the largest scored cut."""
    n, found = len(score), None
    for cut in np.unique(score):
        errors = int(wrong[score <= cut].sum())
        if n / (n + 1) * (errors / n) + 1 / (n + 1) <= alpha + 1e-12:
            found = {"threshold": int(cut), "accepted": int((score <= cut).sum()), "errors": errors}
    return {"alpha": alpha, "found": found, "rows_needed": math.ceil(1 / alpha - 1e-9) - 1}


def selections():
    cases = []
    for n, slope, target, delta in (
        (3000, 0.3, 0.05, 0.05),
        (3000, 0.3, 0.1, 0.001),
        (400, 0.2, 0.05, 0.05),
        (60, 0.1, 0.02, 0.05),
    ):
        score, wrong = draw(n, slope)
        ood = RNG.integers(150, 700, 800)
        cases.append(
            {
                "score": score.tolist(),
                "wrong": wrong.astype(int).tolist(),
                "ood": ood.tolist(),
                "target": target,
                "delta": delta,
                "sgr": sgr(score, wrong, target, delta),
                "ltt": [
                    ltt(score, wrong, ood, [target, 0.2], [4], delta),
                    ltt(score, wrong, ood, [target, 0.5], [3, 6, 12], delta),
                    ltt(score, wrong, ood, [target, 0.2], [0], delta),
                ],
                "crc": [crc(score, wrong, alpha) for alpha in (0.005, 0.02, 0.05, 0.2)],
            }
        )
    return cases


def main():
    document = {
        "versions": {"scipy": scipy.__version__, "numpy": np.__version__},
        "p_values": p_values(),
        "selections": selections(),
    }
    path = pathlib.Path(__file__).parent / "guarantees.json"
    path.write_text(json.dumps(document, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
