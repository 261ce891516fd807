"""Thresholds from prefix histograms are those of all values in memory."""

import numpy as np
import pytest

from rulecg.binarize.thresholds import quantile_thresholds
from rulecg.packing import number_summary
from rulecg.packing.number_summary import NumberSummary


def some_values(seed, rng):
    n = int(rng.integers(2_000, 20_000))
    return [
        lambda: rng.normal(size=n),
        lambda: rng.integers(-(10**9), 10**9, n),
        lambda: np.round(rng.exponential(size=n), 3),
        lambda: np.where(rng.random(n) < 0.6, 0.0, rng.normal(size=n)),
        lambda: 10.0 ** rng.integers(-300, 300, n),
    ][seed % 5]()


@pytest.mark.parametrize("seed", range(20))
def test_condensed_values_give_the_same_quantiles(seed, monkeypatch):
    """However many distinct values there are and however they are cut, quantiles are those of the whole column."""
    monkeypatch.setattr(number_summary, "FEW", 300)
    rng = np.random.default_rng(seed)
    values = some_values(seed, rng)
    summary, parts = NumberSummary(values.dtype.kind == "i"), int(rng.integers(2, 12))
    for block in np.array_split(values, 7):
        summary.add(block)
    last = summary.count - 1
    ranks = {min(rank, last) for part in range(parts) for rank in (last * part // parts, last * part // parts + 1)}
    while summary.want(ranks):
        for block in np.array_split(values, 3):
            summary.look(block)
        summary.passed()
    distinct, counts = summary.condensed()
    assert counts.sum() == len(values)
    assert np.all(np.diff(distinct) > 0)
    found = quantile_thresholds(distinct, counts.astype(float), parts, True)
    assert found == quantile_thresholds(values, None, parts, True)
