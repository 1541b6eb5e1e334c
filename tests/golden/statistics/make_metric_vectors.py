"""Writes tests/golden/statistics/metrics.json: reference values of metrics on hard rows.

Run: python3 tests/golden/statistics/make_metric_vectors.py (needs torch, torchmetrics,
torch-uncertainty and scikit-learn; the file records their versions.  The committed file was made
with torch 2.11, torchmetrics 1.9.0, torch-uncertainty 0.13.0 and scikit-learn 1.9.1).

Confidences are float32: many on the edges of bins, some exactly 1, many tied.  torch-uncertainty
gives the smooth calibration error, torchmetrics the binned ones, scikit-learn the curves; the
fd-shifts AURC is written from its definition.
"""

import importlib.util
import json
import pathlib
import sys
from importlib import metadata

import numpy as np
import sklearn
import torch
import torchmetrics
from sklearn import metrics as sk
from sklearn.linear_model import LogisticRegression
from torchmetrics.functional.classification import (
    multiclass_accuracy,
    multiclass_calibration_error,
)

RNG = np.random.default_rng(20240608)


def load_smooth_error():
    """The metric's module alone: the package imports half of the ecosystem."""
    root = next(
        p
        for p in (pathlib.Path(s) / "torch_uncertainty" for s in sys.path)
        if (p / "metrics").is_dir()
    )
    folder = root / "metrics" / "classification" / "calibration"
    package = importlib.util.module_from_spec(
        importlib.util.spec_from_loader("smooth", loader=None, is_package=True)
    )
    package.__path__ = [str(folder)]
    sys.modules["smooth"] = package
    return importlib.import_module("smooth.smooth_calibration_error").SmoothCalibrationError


SmoothCalibrationError = load_smooth_error()


def confidences(name, n):
    if name == "edges":
        edges = torch.linspace(0, 1, 16).numpy()[6:]
        near = np.concatenate([edges, np.nextafter(edges, 0, dtype=np.float32)])
        return RNG.choice(near, n).astype(np.float32)
    if name == "tied":
        return (RNG.integers(36, 101, n) / 100).astype(np.float32)
    low = {"smooth": 0.34, "sure": 0.9}[name]
    return RNG.uniform(low, 1.0, n).astype(np.float32)


def calibration(confidence, correct):
    rest = (1 - confidence) / 2
    probs = torch.from_numpy(np.stack([confidence, rest, rest], 1))
    target = torch.from_numpy(np.where(correct, 0, 1))
    smooth = SmoothCalibrationError()
    smooth.update(probs, target)
    out = {
        "accuracy": float(multiclass_accuracy(probs, target, 3, average="micro")),
        "smooth": float(smooth.compute()),
        "smooth_bandwidth": smooth.final_bandwidth,
    }
    for bins in (10, 15):
        for norm in ("l1", "l2", "max"):
            out[f"{norm}_{bins}"] = float(
                multiclass_calibration_error(probs, target, 3, n_bins=bins, norm=norm)
            )
    return out


def fd_shifts_aurc(score, correct):
    """Trapezoid over distinct thresholds, with a point at coverage 0."""
    coverage, risk = [0.0], [None]
    for threshold in np.unique(score):
        kept = score <= threshold
        coverage.append(kept.mean())
        risk.append(1 - correct[kept].mean())
    risk[0] = risk[1]
    return float(np.trapezoid(risk, coverage))


def fpr95(positive, score):
    """False positives at the distinct threshold whose recall is closest to 0.95."""
    best = None
    for threshold in np.unique(score):
        recall = (score[positive == 1] >= threshold).mean()
        flagged = (score[positive == 0] >= threshold).mean()
        key = (abs(recall - 0.95), -recall, flagged)
        best = key if best is None or key < best else best
    return float(best[2])


def detection(score, ood_score):
    both = np.concatenate([score, ood_score])
    ood = np.concatenate([np.zeros(len(score)), np.ones(len(ood_score))])
    return {
        "auroc": sk.roc_auc_score(ood, both),
        "aupr_ood_positive": sk.average_precision_score(ood, both),
        "aupr_id_positive": sk.average_precision_score(1 - ood, -both),
        "fpr95_ood_positive": fpr95(ood, both),
        "fpr95_id_positive": fpr95(1 - ood, -both),
    }


def logistic():
    """Ridge logistic regression by scikit-learn: C is 1 / (ridge * sum of weights)."""
    cases = []
    for n, columns, ridge, shift in ((300, 3, 1e-3, 1.0), (80, 5, 0.1, 4.0), (60, 2, 1e-3, 9.0)):
        y = RNG.random(n) < 0.4
        x = RNG.normal(size=(n, columns)) + shift * y[:, None] * RNG.random(columns)
        x[:, -1] = x[:, 0] + 1e-3 * RNG.normal(size=n)  # nearly the same column twice
        x = np.round(x, 6)
        weight = np.where(RNG.random(n) < 0.5, 1.0, 2.5)
        fit = LogisticRegression(C=1 / (ridge * weight.sum()), tol=1e-12, max_iter=100000)
        fit.fit(x, y, sample_weight=weight)
        cases.append({"x": x.tolist(), "y": y.astype(int).tolist(), "weight": weight.tolist(),
                      "ridge": ridge, "coefficients": fit.coef_[0].tolist(),
                      "intercept": float(fit.intercept_[0])})
    return cases


def main():
    cases = []
    for name, n, accuracy in (
        ("edges", 700, 0.8),
        ("tied", 500, 0.9),
        ("smooth", 900, 1.0),
        ("sure", 2000, 0.99),
    ):
        confidence = confidences(name, n)
        correct = RNG.random(n) < confidence.astype(float) * accuracy
        score = np.round(1 - confidence.astype(float), 3)
        ood_score = np.round(np.clip(RNG.normal(0.4, 0.2, n // 2), 0, 1), 3)
        cases.append(
            {
                "name": name,
                "confidence": [float(c) for c in confidence],
                "correct": correct.astype(int).tolist(),
                "score": score.tolist(),
                "ood_score": ood_score.tolist(),
                "calibration": calibration(confidence, correct),
                "fd_shifts_aurc": fd_shifts_aurc(score, correct),
                "detection": detection(score, ood_score),
            }
        )
    document = {
        "versions": {
            "torch": torch.__version__,
            "torchmetrics": torchmetrics.__version__,
            "torch-uncertainty": metadata.version("torch-uncertainty"),
            "scikit-learn": sklearn.__version__,
        },
        "cases": cases,
        "logistic": logistic(),
    }
    path = pathlib.Path(__file__).parent / "metrics.json"
    path.write_text(json.dumps(document, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
