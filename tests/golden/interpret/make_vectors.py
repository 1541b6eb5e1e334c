#!/usr/bin/env python3
"""Writes vectors.json beside it: Laplace maps by numpy and head clusters by scikit-learn.

Run: python3 tests/golden/interpret/make_vectors.py (the file records the versions of both).

Maps: attention [T, T] as float32; eigenvalues and coordinates by numpy.linalg.eigh in float64 of
I - D^-1/2 W D^-1/2.  Of a degenerate eigenvalue the basis is the QR decomposition of the
projector's columns at the axes that the header of eigenspaces.h picks.
Clusters: features [n, layers * heads]; SpectralClustering on the precomputed affinity, and both
scores on the standardised columns.  Every case gives the same labels for ten seeds.
"""

import json
import pathlib

import numpy
import sklearn
from sklearn.cluster import SpectralClustering
from sklearn.metrics import davies_bouldin_score, silhouette_score

FILE = pathlib.Path(__file__).parent / "vectors.json"
GAP = 1e-6


def softmax(scores):
    scores = numpy.exp(scores - scores.max(axis=1, keepdims=True))
    return (scores / scores.sum(axis=1, keepdims=True)).astype(numpy.float32)


def signed(vector):
    largest = numpy.abs(vector).max()
    first = numpy.argmax(numpy.abs(vector) >= largest * (1 - 1e-9))
    return vector if vector[first] > 0 else -vector


def canonical(space):
    """The basis by QR of the projected axes that carry enough, in order."""
    count, dimensions = space.shape
    projector = space @ space.T
    axes = []
    for axis in range(count):
        if len(axes) == dimensions:
            break
        chosen = projector[:, axes]
        rest = projector[:, axis]
        if axes:
            rest = rest - chosen @ numpy.linalg.lstsq(chosen, rest, rcond=None)[0]
        if rest @ rest >= 0.5 * (dimensions - len(axes)) / count:
            axes.append(axis)
    return numpy.linalg.qr(projector[:, axes])[0]


def laplace_map(attention):
    attention = attention.astype(numpy.float64)
    weights = (attention + attention.T) / 2
    root = 1 / numpy.sqrt(weights.sum(axis=1))
    laplacian = numpy.eye(len(weights)) - root[:, None] * weights * root[None, :]
    values, vectors = numpy.linalg.eigh(laplacian)
    columns, degenerate = [], []
    first = 0
    while len(columns) < 4:
        end = first + 1
        while end < len(values) and values[end] - values[end - 1] < GAP:
            end += 1
        space = vectors[:, first:end]
        if end - first > 1:
            space = canonical(space)
        columns += [signed(column) for column in space.T]
        degenerate += [end - first > 1] * (end - first)
        first = end
    return {
        "tokens": len(weights),
        "attention": [float(value) for value in attention.ravel()],
        "eigenvalues": values[:5].tolist(),
        "coordinates": numpy.stack(columns[1:4], axis=1).ravel().tolist(),
        "degenerate": degenerate[1:4],
    }


def neighbours(rows, columns, width):
    """Scores that fall with the distance between patches, behind a CLS token without place."""
    places = numpy.array([(r, c) for r in range(rows) for c in range(columns)], dtype=float)
    distances = ((places[:, None] - places[None, :]) ** 2).sum(axis=2)
    scores = numpy.zeros((len(places) + 1, len(places) + 1))
    scores[1:, 1:] = -distances / width
    return scores


def maps():
    random = numpy.random.default_rng(5)
    ring = numpy.roll(numpy.eye(8), 1, axis=1)
    cases = {
        "random": softmax(random.normal(size=(17, 17))),
        "neighbours": softmax(
            neighbours(4, 5, 2.0) + 0.05 * random.normal(size=(21, 21))
        ),
        "four tokens": softmax(random.normal(size=(4, 4))),
        "uniform": numpy.full((10, 10), 0.1, dtype=numpy.float32),
        "three groups that do not meet": numpy.kron(
            numpy.eye(3), numpy.full((3, 3), 1 / 3)
        ).astype(numpy.float32),
        "ring": ((ring + ring.T) / 2).astype(numpy.float32),
    }
    return [dict(name=name, **laplace_map(attention)) for name, attention in cases.items()]


def features(random, layers, heads, groups, noise):
    causes = random.normal(size=(80, groups))
    parts = random.integers(0, groups, size=layers * heads)
    parts[:groups] = numpy.arange(groups)
    mixed = causes[:, parts] + noise * random.normal(size=(80, layers * heads))
    return 1 / (1 + numpy.exp(-mixed))


def cluster_case(name, values, layers, heads, clusters, affinity):
    correlation = numpy.corrcoef(values.T)
    weights = (1 + correlation) / 2 if affinity == "shifted" else numpy.maximum(correlation, 0)
    labels = [
        SpectralClustering(
            clusters, affinity="precomputed", random_state=seed, assign_labels="kmeans"
        ).fit_predict(weights)
        for seed in range(10)
    ]
    same = [label[:, None] == label[None, :] for label in labels]
    assert all((other == same[0]).all() for other in same), name
    numbers = {}
    numbered = [numbers.setdefault(int(label), len(numbers)) for label in labels[0]]
    profiles = values - values.mean(axis=0)
    profiles = (profiles / numpy.linalg.norm(profiles, axis=0)).T
    representatives = []
    for cluster in range(clusters):
        mine = numpy.flatnonzero(numpy.array(numbered) == cluster)
        distances = numpy.linalg.norm(profiles[mine] - profiles[mine].mean(axis=0), axis=1)
        representatives.append(int(mine[distances.argmin()]))
    return {
        "name": name,
        "features": [float(value) for value in values.ravel()],
        "layers": layers,
        "heads": heads,
        "clusters": clusters,
        "affinity": affinity,
        "labels": numbered,
        "representatives": representatives,
        "davies_bouldin": float(davies_bouldin_score(profiles, numbered)),
        "silhouette": float(silhouette_score(profiles, numbered)),
    }


def clusterings():
    random = numpy.random.default_rng(11)
    apart = features(random, 3, 4, 3, 0.3).round(6)
    near = features(random, 4, 6, 4, 0.9).round(6)
    return [
        cluster_case("apart, shifted", apart, 3, 4, 3, "shifted"),
        cluster_case("apart, positive", apart, 3, 4, 3, "positive"),
        cluster_case("apart in two", apart, 3, 4, 2, "shifted"),
        cluster_case("near, shifted", near, 4, 6, 4, "shifted"),
        cluster_case("near, positive", near, 4, 6, 4, "positive"),
    ]


def main():
    vectors = {
        "made_with": {"numpy": numpy.__version__, "scikit-learn": sklearn.__version__},
        "maps": maps(),
        "clusterings": clusterings(),
    }
    FILE.write_text(json.dumps(vectors) + "\n")


if __name__ == "__main__":
    main()
