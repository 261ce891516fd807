"""Results that are kept as long as the array they were made from."""

from __future__ import annotations

import gc

import numpy as np

from rulecg_core import Derived


def test_a_result_is_made_once_for_each_array() -> None:
    """Equal arrays are different arrays; the same one is not looked at twice."""
    calls: list[float] = []
    total = Derived(lambda array: calls.append(float(array.sum())) or float(array.sum()))
    first, second = np.ones(3), np.ones(3)
    assert [total(first), total(second), total(first)] == [3.0, 3.0, 3.0]
    assert len(calls) == 2
    assert len(total) == 2


def test_results_go_with_their_arrays() -> None:
    """Nothing is kept for an array that is gone, and no new array gets the result of an old one."""
    total = Derived(lambda array: float(array.sum()))
    for number in range(200):
        array = np.full(10, float(number))
        assert total(array) == 10.0 * number
        del array
        gc.collect(0)
        assert len(total) == 0
