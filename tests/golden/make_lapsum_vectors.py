"""Writes lapsum_vectors.json: soft top-k weights and gradients by other means than the product's.

Run: python3 tests/golden/make_lapsum_vectors.py (standard library only; written with Python 3.11).

The barrier is found by bisection and the gradients are central differences, both with 60 digits, so
that neither the closed form nor the derived Jacobian is used.  Numbers are rounded to 17 digits.
"""

import decimal
import json
import pathlib
import random

FOLDER = pathlib.Path(__file__).parent
D = decimal.Decimal
decimal.getcontext().prec = 60

# n, k, tau: soft, hard, both ends, and temperatures at which e^(r/tau) overflows a double.
CASES = [
    (2, "1", "1"),
    (3, "0.25", "0.3"),
    (5, "4.75", "1"),
    (12, "4", "0.01"),
    (12, "6.5", "5"),
    (16, "8", "0.002"),
    (24, "3", "0.05"),
    (48, "24", "0.1"),
    (72, "71.5", "0.5"),
    (144, "12", "1"),
]


def lap(x):
    return x.exp() / 2 if x <= 0 else 1 - (-x).exp() / 2


def weights(scores, k, tau):
    low, high = min(scores) - 200 * tau, max(scores) + 200 * tau
    for _ in range(230):
        middle = (low + high) / 2
        if sum(lap((r - middle) / tau) for r in scores) > k:
            low = middle
        else:
            high = middle
    barrier = (low + high) / 2
    return [lap((r - barrier) / tau) for r in scores], barrier


def objective(scores, k, tau, upstream):
    return sum(p * v for p, v in zip(weights(scores, k, tau)[0], upstream))


def difference(function, value):
    step = D("1e-20")
    return (function(value + step) - function(value - step)) / (2 * step)


def score_gradient(scores, k, tau, upstream, index):
    def moved(value):
        return objective(scores[:index] + [value] + scores[index + 1 :], k, tau, upstream)

    return difference(moved, scores[index])


def main():
    rng = random.Random(5)
    cases = []
    for n, k, tau in CASES:
        # Doubles, exactly; a few scores are equal.
        scores = [rng.gauss(0, 1) for _ in range(n)]
        if n > 4:
            scores[3] = scores[1]
        upstream = [rng.gauss(0, 1) for _ in range(n)]
        r, v = [D(x) for x in scores], [D(x) for x in upstream]
        count, temperature = D(float(k)), D(float(tau))
        p, barrier = weights(r, count, temperature)
        indices = sorted(rng.sample(range(n), min(n, 4)))
        cases.append(
            {
                "scores": scores,
                "count": float(k),
                "temperature": float(tau),
                "weights": [float(x) for x in p],
                "barrier": float(barrier),
                "upstream": upstream,
                "score_gradients": {
                    str(i): float(score_gradient(r, count, temperature, v, i)) for i in indices
                },
                "count_gradient": float(
                    difference(lambda x: objective(r, x, temperature, v), count)
                ),
                "temperature_gradient": float(
                    difference(lambda x: objective(r, count, x, v), temperature)
                ),
            }
        )
    (FOLDER / "lapsum_vectors.json").write_text(json.dumps({"cases": cases}, indent=1) + "\n")


if __name__ == "__main__":
    main()
