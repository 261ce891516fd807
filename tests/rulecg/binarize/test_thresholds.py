"""Where numeric columns are cut, and how the cuts are written."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulecg.binarize.thresholds import distinct_thresholds, heaviest_cuts, quantile_thresholds, shortest_between
from rulecg_core.data.conditions import show_value

finite = st.floats(allow_nan=False, allow_infinity=False)


@given(finite, finite)
def test_threshold_stays_between_its_neighbours(one: float, other: float) -> None:
    """low <= threshold < high for any two floats, adjacent ones, denormal ones and huge ones included."""
    low, high = min(one, other), max(one, other)
    if low < high:
        assert low <= shortest_between(low, high) < high


@given(st.integers(-(10**6), 10**6), st.integers(1, 10**4), st.integers(0, 4))
def test_no_shorter_decimal_would_do(start: int, width: int, digits: int) -> None:
    """Brute force over whole multiples of powers of ten: the coarsest power that has one between is the one used."""
    scale = 10**digits
    threshold = shortest_between(start / scale, (start + width) / scale)
    counted = round(threshold * scale)
    assert counted / scale == threshold
    coarsest = max(
        10**power
        for power in range(12)
        if any(multiple % 10**power == 0 for multiple in range(start, start + width))
    )
    assert start <= counted < start + width
    assert counted % coarsest == 0


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(28.0, 35.0, "30"), (3.0, 4.0, "3"), (-1.0, 1.0, "0"), (0.12345, 0.12399, "0.1235"), (99.5, 100.2, "100")],
)
def test_thresholds_print_short(low: float, high: float, expected: str) -> None:
    """The number of digits is what the data force, not what the quantile happens to have."""
    assert show_value(shortest_between(low, high)) == expected


def test_of_equally_short_thresholds_the_nearest_to_the_quantile_is_taken() -> None:
    """Between 2 and 9 all of 2, …, 8 are as short: the quantile decides."""
    assert [shortest_between(2.0, 9.0, near) for near in (2.0, 4.9, 8.7)] == [2.0, 5.0, 8.0]


def test_infinite_neighbours_give_finite_thresholds() -> None:
    """A column that holds infinities is still cut at numbers a person can read."""
    assert shortest_between(-math.inf, 5.0) < 5.0
    assert shortest_between(5.0, math.inf) >= 5.0
    assert math.isfinite(shortest_between(-math.inf, math.inf))
    assert math.isfinite(shortest_between(-math.inf, -1e308))


values = st.lists(st.integers(-20, 20).map(float) | st.floats(-5, 5, width=32), min_size=11, max_size=60)


@given(values, st.integers(2, 10), st.booleans())
def test_splits_are_those_of_the_quantiles(data: list[float], n_quantiles: int, include_minimum: bool) -> None:
    """``x <= threshold`` splits the data exactly as ``x <= numpy.quantile`` does, one threshold per split."""
    column = np.array(data)
    if len(np.unique(column)) <= 2:
        return
    levels = np.arange(0 if include_minimum else 1, n_quantiles)
    # Exact order statistics: interpolation between equal or adjacent floats would only add rounding noise.
    quantiles = np.sort(column)[(levels * (len(column) - 1)) // n_quantiles]
    expected = {tuple(column <= quantile) for quantile in quantiles if quantile < column.max()}
    found = [tuple(column <= t) for t in quantile_thresholds(column, None, n_quantiles, include_minimum)]
    assert set(found) == expected
    assert len(found) == len(expected)


@given(st.lists(st.tuples(st.integers(0, 9).map(float), st.integers(1, 4)), min_size=3, max_size=20))
def test_whole_number_weights_are_repeated_rows(pairs: list[tuple[float, int]]) -> None:
    """Weighted thresholds equal those of the table with its rows repeated."""
    column, weights = np.array([value for value, _ in pairs]), np.array([weight for _, weight in pairs])
    weighted = quantile_thresholds(column, weights.astype(float), 10, True)
    assert weighted == quantile_thresholds(np.repeat(column, weights), None, 10, True)


def test_scaled_weights_do_not_move_thresholds() -> None:
    """Weights that sum to 1 give the same thresholds as the unweighted data when they are all equal."""
    column = np.random.default_rng(0).normal(size=101)
    weights = np.full(101, 1 / 101)
    assert quantile_thresholds(column, weights, 10, True) == quantile_thresholds(column, None, 10, True)


@given(st.lists(st.integers(0, 30), min_size=1), st.integers(2, 12))
def test_distinct_thresholds_look_at_values_and_not_at_rows(values: list[int], n_parts: int) -> None:
    """Repeating rows changes nothing, and no threshold leaves all values on one side."""
    once = distinct_thresholds(np.array(sorted(set(values)), dtype=float), n_parts, include_minimum=True)
    often = distinct_thresholds(np.array(values * 3 + values[:1] * 50, dtype=float), n_parts, include_minimum=True)
    assert once == often
    assert all(min(values) <= threshold < max(values) for threshold in often)


def test_a_value_that_most_rows_share_leaves_thresholds_to_the_others() -> None:
    """Deciles of a column that is nearly always 0 see nothing else; quantiles of its values do."""
    values = np.array([0.0] * 950 + list(range(1, 51)))
    assert quantile_thresholds(values, None, 10, include_minimum=True) == [0.0]
    assert len(distinct_thresholds(values, 10, include_minimum=True)) == 10


@given(st.lists(st.floats(0, 10), min_size=1, max_size=40), st.integers(1, 10))
def test_heaviest_cuts_are_few_and_gain(gains: list[float], most: int) -> None:
    """At most so many, each with a gain, in order; all that gain when they are few; the largest share is never lost."""
    cuts = heaviest_cuts(np.array(gains), most)
    useful = [at for at, gain in enumerate(gains) if gain > 0]
    assert len(cuts) <= most
    assert cuts == sorted(set(cuts))
    assert set(cuts) <= set(useful)
    if len(useful) <= most:
        assert cuts == useful
    elif useful and max(gains) ** 0.5 > sum(gain**0.5 for gain in gains) / most * (1 + 1e-9):
        assert gains[max(cuts, key=lambda at: gains[at])] == max(gains)
