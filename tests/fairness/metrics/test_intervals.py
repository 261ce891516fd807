"""Intervals of shares, differences and ratios: those of statsmodels, and together as sure as they claim."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import studentized_range
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from rulecg_core import ConfigurationError
from rulecg_fairness.metrics.intervals import (
    all_pairs,
    combine,
    differences,
    one_sided,
    ratios,
    two_sided,
    wilson,
)

COUNTS = np.array([0, 1, 7, 56, 48, 30])
SIZES = np.array([10, 30, 7, 70, 80, 61])
SHARES = COUNTS / SIZES


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
def test_wilson_is_that_of_statsmodels(confidence: float) -> None:
    """Few and many rows, none and all of them positive, also for sizes that are no whole numbers."""
    for sizes in (SIZES.astype(float), SIZES * 1.37):
        expected = proportion_confint(SHARES * sizes, sizes, alpha=1 - confidence, method="wilson")
        np.testing.assert_allclose(wilson(SHARES, sizes, two_sided(confidence)), expected, atol=1e-12)


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
def test_differences_are_newcombes_of_statsmodels(confidence: float) -> None:
    """Every ordered pair, and the same from the general weighted sum."""
    low, high = differences(SHARES, SIZES.astype(float), two_sided(confidence))
    for i in range(len(COUNTS)):
        for j in range(len(COUNTS)):
            if i == j:
                continue
            expected = confint_proportions_2indep(
                COUNTS[i], SIZES[i], COUNTS[j], SIZES[j], method="newcomb", compare="diff", alpha=1 - confidence
            )
            assert (low[i, j], high[i, j]) == pytest.approx(expected, abs=1e-12)
            pair = [i, j]
            summed = combine(np.array([1.0, -1.0]), SHARES[pair], SIZES[pair].astype(float), two_sided(confidence))
            assert summed == pytest.approx(expected, abs=1e-12)


def test_newcombes_own_example() -> None:
    """56/70 − 48/80 at 95 %: Newcombe's method 10 gives 0.0524 to 0.3339 (his table II)."""
    low, high = combine(np.array([1.0, -1.0]), np.array([56 / 70, 48 / 80]), np.array([70.0, 80.0]), two_sided(0.95))
    assert (low, high) == (pytest.approx(0.0524, abs=1e-4), pytest.approx(0.3339, abs=1e-4))


def test_ratios_belong_to_differences() -> None:
    """At an end of a ratio's interval, 0 is an end of the interval of share − ratio × other share."""
    z = two_sided(0.95)
    low, high = ratios(SHARES, SIZES.astype(float), z)
    for i in range(len(COUNTS)):
        for j in range(len(COUNTS)):
            pair = [i, j]
            if COUNTS[i] and low[i, j] > 0:
                least, _ = combine(np.array([1.0, -low[i, j]]), SHARES[pair], SIZES[pair].astype(float), z)
                assert least == pytest.approx(0.0, abs=1e-9)
            if np.isfinite(high[i, j]):
                _, most = combine(np.array([1.0, -high[i, j]]), SHARES[pair], SIZES[pair].astype(float), z)
                assert most == pytest.approx(0.0, abs=1e-9)
    assert (low[0] == 0).all()
    assert np.isinf(high[:, 0]).all()


def test_all_pairs_follow_the_studentised_range() -> None:
    """Two groups need no correction; more groups need one, less than sharing out the error over the pairs."""
    assert all_pairs(0.95, 2) == pytest.approx(two_sided(0.95), abs=1e-6)
    assert all_pairs(0.95, 4) == pytest.approx(studentized_range.ppf(0.95, 4, np.inf) / 2**0.5)
    for groups in (3, 6, 20):
        pairs = groups * (groups - 1) // 2
        assert two_sided(0.95) < all_pairs(0.95, groups) < two_sided(1 - 0.05 / pairs)
    assert all_pairs(0.95, 2, n_rates=2) == pytest.approx(two_sided(0.95**0.5), abs=1e-6)
    assert one_sided(0.95, 4) == pytest.approx(one_sided(1 - 0.05 / 4))


@pytest.mark.parametrize("confidence", [0, 1, 95, -0.5])
def test_refuses_impossible_confidence(confidence: float) -> None:
    """Confidence is a number between 0 and 1, whatever it is for."""
    for ask in (two_sided, one_sided, lambda value: all_pairs(value, 3)):
        with pytest.raises(ConfigurationError, match="confidence must be between 0 and 1"):
            ask(confidence)
