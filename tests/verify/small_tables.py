"""Small tables with certificates, and the truth about them by brute force."""

from __future__ import annotations

import gzip
import json
import warnings
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

from rulecg import Binarizer, RuleSetClassifier
from rulecg_verify.table import Samples, merged, read_texts

LABEL = "outcome"


def random_table(seed, n_rows=24):
    """Numbers, categories, truth values and missing entries; labels that a rule explains but for noise."""
    rng = np.random.default_rng(seed)
    data = pd.DataFrame(
        {
            "age": rng.integers(18, 30, n_rows).astype(float),
            "job": rng.choice(["cook", "nurse", "None"], n_rows),
            "member": rng.random(n_rows) < 0.5,
        }
    )
    data.loc[rng.random(n_rows) < 0.1, "age"] = np.nan
    labels = ((data["age"] > 23) & data["member"]) ^ (rng.random(n_rows) < 0.2)
    labels.iloc[:2] = [True, False]
    return data, pd.Series(np.where(labels, "yes", "no"), name=LABEL)


def noisy_table(seed, n_rows=40, n_coins=5):
    """Coins, and labels that hardly follow from them: the relaxation alone proves little there."""
    rng = np.random.default_rng(seed)
    coins = rng.random((n_rows, n_coins)) < 0.5
    data = pd.DataFrame(coins, columns=[f"coin {at}" for at in range(n_coins)])
    labels = (coins.sum(axis=1) % 2 == 0) ^ (rng.random(n_rows) < 0.3)
    return data, pd.Series(np.where(labels, "yes", "no"), name=LABEL)


def with_gap(folder, seed=11, n_rows=40, **settings):
    """A certificate whose relaxation leaves a gap, so that it has a list and nodes: weights make losses fine."""
    data, labels = noisy_table(seed, n_rows, 5 if n_rows < 60 else 8)
    weights = np.random.default_rng(seed).integers(1, 10, n_rows)
    _, proof, table = certified(folder, data, labels, weights=weights, **{"max_complexity": 6, **settings})
    content = content_of(proof)
    assert content["list"]
    assert content["nodes"]
    return content, proof, table


def certified(folder, data, labels, *, weights=None, **settings):
    """A fitted classifier, its certificate and the table that it is about."""
    proof, table = Path(folder, "proof.json.gz"), Path(folder, "table.csv")
    content = data.assign(**{LABEL: labels})
    if weights is not None:
        content = content.assign(copies=weights)
        weights = pd.Series(weights, name="copies")
    content.to_csv(table, index=False)
    settings = {"max_complexity": 5, "max_conditions": 2, "time_limit": 20, **settings}
    with warnings.catch_warnings():
        warnings.simplefilter("error", category=RuntimeWarning)
        model = RuleSetClassifier(binarizer=Binarizer(n_quantiles=3), **settings)
        model.fit(data, labels, sample_weight=weights, certificate=str(proof))
    return model, proof, table


def content_of(proof):
    return json.loads(gzip.decompress(Path(proof).read_bytes()))


def samples_of(described, table):
    return merged(described, read_texts(table, described["table"]["separator"]))


def rewritten(content, proof, table=None):
    """Write a certificate with other contents, its hash recomputed for the table unless none is given."""
    if table is not None:
        content = {**content, "hash": samples_of(content["described"], table).digest}
    Path(proof).write_bytes(gzip.compress(json.dumps(content).encode(), 1))
    return proof


def least_loss(samples: Samples, max_conditions: int, complexity: int) -> int:
    """The least Hamming loss of all rule sets within the limits, by trying them all."""
    n_conditions = samples.holds.shape[1]
    covers, sizes = [np.ones(len(samples.miss), dtype=bool)], [1]
    for length in range(1, max_conditions + 1):
        for rule in combinations(range(n_conditions), length):
            covers.append(samples.holds[:, rule].all(axis=1))
            sizes.append(1 + length)
    best = int(samples.miss.sum())
    costs = [int(samples.cover[cover].sum()) for cover in covers]

    def extend(first, covered, cost, room):
        nonlocal best
        for at in range(first, len(covers)):
            if sizes[at] <= room:
                both = covered | covers[at]
                best = min(best, cost + costs[at] + int(samples.miss[~both].sum()))
                extend(at + 1, both, cost + costs[at], room - sizes[at])

    extend(0, np.zeros(len(samples.miss), dtype=bool), 0, complexity)
    return best
