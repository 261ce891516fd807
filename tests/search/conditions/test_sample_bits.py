"""Sums by population counts, over all samples or a part of them."""

import numpy as np
import pytest

from rulecg_core import Problem
from rulecg_search.conditions.sample_bits import SampleBits


def test_sums_over_bits_are_weighted_sums():
    """Sums by population counts equal sums of coefficients, also when similar coefficients had to be merged."""
    rng = np.random.default_rng(0)
    for fractional in (False, True):
        X, y = rng.random((3000, 6)) < 0.5, rng.random(3000) < 0.5
        weights = rng.random(3000) + 0.5 if fractional else rng.integers(1, 9, 3000)
        problem = Problem.from_arrays(X, y, weights=weights, merge=False)
        form = problem.hamming_loss()
        bits = SampleBits.of(problem, [form])
        assert bits.exact is not fractional
        sums = bits.sums(bits.features)[:, 0]
        expected = problem.X.T @ (form.cover - np.where(problem.y, form.missed, 0.0))
        np.testing.assert_allclose(sums, expected, atol=2.0 if fractional else 1e-9)


@pytest.mark.parametrize("n_samples", [2_000, 40_000])
def test_a_part_of_the_samples_stands_for_all(n_samples):
    """Sums over a random part are close to sums over all, and a price multiplies what covering costs."""
    rng = np.random.default_rng(0)
    X, y = rng.random((n_samples, 4)) < 0.5, rng.random(n_samples) < 0.3
    problem = Problem.from_arrays(X, y, weights=rng.integers(1, 4, n_samples), merge=False)
    bits = SampleBits.of(problem, [problem.hamming_loss()])
    part = bits.sampled(0.5, 1.0, rng)
    np.testing.assert_allclose(part.sums(part.features), bits.sums(bits.features), rtol=0.25)
    assert part.sums(part.filled[None]).item() != bits.sums(bits.filled[None]).item()
    dearer = bits.sampled(1.0, 3.0, rng)
    cost = bits.sums(bits.features & bits.always)
    np.testing.assert_allclose(dearer.sums(dearer.features), bits.sums(bits.features) + 2 * cost)


def test_what_is_added_up_in_descents_does_not_depend_on_the_order():
    """Where errors of one kind cost ten million times as much, sums are the same from either end, and values hardly
    change; otherwise a descent goes round in circles for as long as it may."""
    rng = np.random.default_rng(0)
    X, y = rng.random((500, 6)) < 0.5, rng.random(500) < 0.5
    weights = np.where(y, 1e-4, 1000.0) * rng.uniform(0.5, 2.0, 500)
    problem = Problem.from_arrays(X, y, weights=weights, merge=False)
    bits = SampleBits.of(problem, [problem.hamming_loss()])
    values, empty = bits.summable()
    summands = np.append(values[0], empty)
    assert np.cumsum(summands)[-1] == np.cumsum(summands[::-1])[-1]
    np.testing.assert_allclose(values, bits.values, rtol=1e-3)
    unrounded = np.append(bits.values[0], bits.empty)
    assert np.cumsum(unrounded)[-1] != np.cumsum(unrounded[::-1])[-1]


def test_whole_numbers_are_added_up_as_they_are():
    """Rounding changes nothing where rows count once or a few times."""
    rng = np.random.default_rng(0)
    X, y = rng.random((500, 6)) < 0.5, rng.random(500) < 0.5
    problem = Problem.from_arrays(X, y, weights=rng.integers(1, 9, 500), merge=False)
    bits = SampleBits.of(problem, [problem.hamming_loss()])
    values, empty = bits.summable()
    np.testing.assert_array_equal(values, bits.values)
    np.testing.assert_array_equal(empty, bits.empty)
